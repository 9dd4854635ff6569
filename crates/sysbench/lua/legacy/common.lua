-- What scripts of sysbench 0.5 share: options as globals, tables and rows, one implied connection.
--
-- For scripts that `dofile` or `require` a file of this name. New scripts use `oltp_common`.

-- Number for an option that was given as a string, or not at all.
local function number(value, default)
   return tonumber(value) or default
end

-- Whether a switch is on; off is said in several ways.
local function is_on(value, default)
   if value == nil then
      return default
   end
   return value == true or value == "on" or value == "true" or value == "1" or value == 1
end

-- Options that are not given are nil; after this each has its value.
function set_vars()
   oltp_table_size = number(oltp_table_size, 10000)
   oltp_tables_count = number(oltp_tables_count, 1)
   oltp_range_size = number(oltp_range_size, 100)
   oltp_point_selects = number(oltp_point_selects, 10)
   oltp_simple_ranges = number(oltp_simple_ranges, 1)
   oltp_sum_ranges = number(oltp_sum_ranges, 1)
   oltp_order_ranges = number(oltp_order_ranges, 1)
   oltp_distinct_ranges = number(oltp_distinct_ranges, 1)
   oltp_index_updates = number(oltp_index_updates, 1)
   oltp_non_index_updates = number(oltp_non_index_updates, 1)
   oltp_delete_inserts = number(oltp_delete_inserts, 1)
   random_points = number(random_points, 10)
   number_of_ranges = number(number_of_ranges, 10)
   delta = number(delta, 5)

   oltp_read_only = is_on(oltp_read_only, false)
   oltp_skip_trx = is_on(oltp_skip_trx, false)
   oltp_range_selects = is_on(oltp_range_selects, true)
   oltp_auto_inc = is_on(oltp_auto_inc, true)
   oltp_secondary = is_on(oltp_secondary, false)
   oltp_create_secondary = is_on(oltp_create_secondary, true)
   mysql_table_engine = mysql_table_engine or "innodb"
   myisam_max_rows = number(myisam_max_rows, 1000000)
end

local DIGITS = "###########"
local C_FORMAT = DIGITS .. string.rep("-" .. DIGITS, 9)
local PAD_FORMAT = DIGITS .. string.rep("-" .. DIGITS, 4)

function random_c()
   return sb_rand_str(C_FORMAT)
end

function random_pad()
   return sb_rand_str(PAD_FORMAT)
end

function random_id()
   return sb_rand(1, oltp_table_size)
end

function random_table()
   return "sbtest" .. sb_rand_uniform(1, oltp_tables_count)
end

-- Creates and fills one table.
function create_insert(number)
   local name = "sbtest" .. number
   print(string.format("Creating table '%s'...", name))
   local id = oltp_auto_inc and "AUTO_INCREMENT" or ""
   local key = oltp_secondary and "KEY xid" or "PRIMARY KEY"
   db_query(string.format([[
CREATE TABLE %s (
  id INTEGER UNSIGNED NOT NULL %s,
  k INTEGER UNSIGNED DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  %s (id)
) /*! ENGINE = %s MAX_ROWS = %d */]], name, id, key, mysql_table_engine, myisam_max_rows))

   print(string.format("Inserting %d records into '%s'", oltp_table_size, name))
   local columns = oltp_auto_inc and "(k, c, pad)" or "(id, k, c, pad)"
   db_bulk_insert_init("INSERT INTO " .. name .. columns .. " VALUES")
   for i = 1, oltp_table_size do
      local own_id = oltp_auto_inc and "" or i .. ", "
      db_bulk_insert_next(string.format("(%s%d, '%s', '%s')",
         own_id, random_id(), random_c(), random_pad()))
   end
   db_bulk_insert_done()
   if oltp_create_secondary then
      db_query(string.format("CREATE INDEX k_%d ON %s(k)", number, name))
   end
end

function prepare()
   set_vars()
   db_connect()
   for n = 1, oltp_tables_count do
      create_insert(n)
   end
   return 0
end

function cleanup()
   set_vars()
   for n = 1, oltp_tables_count do
      print(string.format("Dropping table 'sbtest%d'...", n))
      db_query("DROP TABLE IF EXISTS sbtest" .. n)
   end
end

function thread_init()
   set_vars()
end
