-- What the OLTP scripts share: options, tables and their rows, statements, connections, commands.
--
-- Dyno's own implementation of the names that sysbench's `oltp_common` offers, so that scripts
-- which `require` it run unchanged. It isn't a workload: a script that includes it says what an
-- event is. It runs on sysbench 1.0 too.

function init()
   assert(event ~= nil, "this script is meant to be included by other OLTP scripts " ..
             "and should not be called directly.")
end

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, prewarm, run, cleanup, help")
end

sysbench.cmdline.options = {
   tables = {"Number of tables", 1},
   table_size = {"Number of rows per table", 10000},
   auto_inc = {"Use AUTO_INCREMENT column as Primary Key (for MySQL), or its alternatives in " ..
      "other DBMS. When disabled, use client-generated IDs", true},
   secondary = {"Use a secondary index in place of the PRIMARY KEY", false},
   create_secondary = {"Create a secondary index in addition to the PRIMARY KEY", true},
   mysql_storage_engine = {"Storage engine, if MySQL is used", "innodb"},
   create_table_options = {"Extra CREATE TABLE options", ""},
   pgsql_variant = {"Use this PostgreSQL variant when running with the PostgreSQL driver. The " ..
      "only currently supported variant is 'redshift'. When enabled, create_secondary is " ..
      "automatically disabled, and delete_inserts is set to 0"},
   range_size = {"Range size for range SELECT queries", 100},
   range_selects = {"Enable/disable all range SELECT queries", true},
   point_selects = {"Number of point SELECT queries per transaction", 10},
   simple_ranges = {"Number of simple range SELECT queries per transaction", 1},
   sum_ranges = {"Number of SELECT SUM() queries per transaction", 1},
   order_ranges = {"Number of SELECT ORDER BY queries per transaction", 1},
   distinct_ranges = {"Number of SELECT DISTINCT queries per transaction", 1},
   index_updates = {"Number of UPDATE index queries per transaction", 1},
   non_index_updates = {"Number of UPDATE non-index queries per transaction", 1},
   delete_inserts = {"Number of DELETE/INSERT combinations per transaction", 1},
   skip_trx = {"Don't start explicit transactions and execute all queries in the AUTOCOMMIT " ..
      "mode", false},
   reconnect = {"Reconnect after every N events. The default (0) is to not reconnect", 0}
}

local rand = sysbench.rand

-- Values -----------------------------------------------------------------------------------------

local DIGITS = "###########"
local C_FORMAT = DIGITS .. string.rep("-" .. DIGITS, 9)
local PAD_FORMAT = DIGITS .. string.rep("-" .. DIGITS, 4)

function get_c_value()
   return rand.string(C_FORMAT)
end

function get_pad_value()
   return rand.string(PAD_FORMAT)
end

local function get_id()
   return rand.default(1, sysbench.opt.table_size)
end

local function get_table_num()
   return rand.uniform(1, sysbench.opt.tables)
end

-- Tables -----------------------------------------------------------------------------------------

-- The type of `id`, and what follows the columns, as the server wants them.
local function table_layout(drv)
   local opt = sysbench.opt
   local is_mysql = drv:name() == "mysql"
   if not is_mysql and drv:name() ~= "pgsql" then
      error("Unsupported database driver: " .. drv:name())
   end
   local id = opt.auto_inc and "INTEGER NOT NULL AUTO_INCREMENT" or "INTEGER NOT NULL"
   if is_mysql then
      -- A global of this name is how scripts give options where none is declared.
      local engine = "/*! ENGINE = " .. opt.mysql_storage_engine .. " */"
      return id, engine .. " " .. (mysql_table_options or "")
   end
   if opt.pgsql_variant == "redshift" then
      opt.create_secondary = false
      opt.delete_inserts = 0
      id = opt.auto_inc and "INTEGER IDENTITY(1,1)" or "INTEGER"
   else
      id = opt.auto_inc and "SERIAL" or "INTEGER"
   end
   return id, ""
end

local function insert_rows(con, table_num)
   local opt = sysbench.opt
   local name = "sbtest" .. table_num
   print(string.format("Inserting %d records into '%s'", opt.table_size, name))
   local columns = opt.auto_inc and "(k, c, pad)" or "(id, k, c, pad)"
   con:bulk_insert_init("INSERT INTO " .. name .. columns .. " VALUES")
   for id = 1, opt.table_size do
      local k = get_id()
      local row = string.format("%d, '%s', '%s')", k, get_c_value(), get_pad_value())
      con:bulk_insert_next((opt.auto_inc and "(" or "(" .. id .. ", ") .. row)
   end
   con:bulk_insert_done()
end

function create_table(drv, con, table_num)
   local opt = sysbench.opt
   local name = "sbtest" .. table_num
   local id, options = table_layout(drv)
   print(string.format("Creating table '%s'...", name))
   con:query(string.format([[
CREATE TABLE %s(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  %s (id)
) %s %s]], name, id, opt.secondary and "KEY xid" or "PRIMARY KEY", options,
      opt.create_table_options))
   if opt.table_size > 0 then
      insert_rows(con, table_num)
   end
   if opt.create_secondary then
      print(string.format("Creating a secondary index on '%s'...", name))
      con:query(string.format("CREATE INDEX k_%d ON %s(k)", table_num, name))
   end
end

-- Commands ---------------------------------------------------------------------------------------

-- Calls `work(drv, con, table_num)` for this thread's share of the tables.
local function for_own_tables(work, before)
   local drv = sysbench.sql.driver()
   local con = drv:connect()
   if before then
      before(drv, con)
   end
   for n = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.tables, sysbench.opt.threads do
      work(drv, con, n)
   end
end

function cmd_prepare()
   for_own_tables(create_table)
end

local function allow_large_temporary_tables(drv, con)
   assert(drv:name() == "mysql", "prewarm is currently MySQL only")
   con:query("SET tmp_table_size=2*1024*1024*1024")
   con:query("SET max_heap_table_size=2*1024*1024*1024")
end

-- Reads a table's rows and its secondary index, so that the server has them in memory.
local function warm_table(_, con, table_num)
   local name = "sbtest" .. table_num
   local rows = sysbench.opt.table_size
   print("Prewarming table " .. name)
   con:query("ANALYZE TABLE " .. name)
   con:query(string.format("SELECT AVG(id) FROM (SELECT * FROM %s FORCE KEY (PRIMARY) " ..
                              "LIMIT %u) t", name, rows))
   con:query(string.format("SELECT COUNT(*) FROM (SELECT * FROM %s WHERE k LIKE '%%0%%' " ..
                              "LIMIT %u) t", name, rows))
end

function cmd_warmup()
   for_own_tables(warm_table, allow_large_temporary_tables)
end

cmd_prewarm = cmd_warmup

function cleanup()
   local drv = sysbench.sql.driver()
   local con = drv:connect()
   for n = 1, sysbench.opt.tables do
      print(string.format("Dropping table 'sbtest%d'...", n))
      con:query("DROP TABLE IF EXISTS sbtest" .. n)
   end
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {cmd_prewarm, sysbench.cmdline.PARALLEL_COMMAND}
}

-- Statements -------------------------------------------------------------------------------------

local INT = sysbench.sql.type.INT
local C = {sysbench.sql.type.CHAR, 120}
local PAD = {sysbench.sql.type.CHAR, 60}

-- Text, with %u for the table's number, and the types of its parameters.
local statements = {
   point_selects = {"SELECT c FROM sbtest%u WHERE id=?", INT},
   simple_ranges = {"SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ?", INT, INT},
   sum_ranges = {"SELECT SUM(k) FROM sbtest%u WHERE id BETWEEN ? AND ?", INT, INT},
   order_ranges = {"SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c", INT, INT},
   distinct_ranges = {"SELECT DISTINCT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c",
      INT, INT},
   index_updates = {"UPDATE sbtest%u SET k=k+1 WHERE id=?", INT},
   non_index_updates = {"UPDATE sbtest%u SET c=? WHERE id=?", C, INT},
   deletes = {"DELETE FROM sbtest%u WHERE id=?", INT},
   inserts = {"INSERT INTO sbtest%u (id, k, c, pad) VALUES (?, ?, ?, ?)", INT, INT, C, PAD}
}

-- The statement and its bound parameters, for a text and the types behind it.
local function prepare(text, types)
   local statement = con:prepare(text)
   local params = {}
   for i, kind in ipairs(types) do
      if type(kind) == "table" then
         params[i] = statement:bind_create(kind[1], kind[2])
      else
         params[i] = statement:bind_create(kind)
      end
   end
   if #params > 0 then
      statement:bind_param(unpack(params))
   end
   return statement, params
end

function prepare_for_each_table(key)
   local text, types = statements[key][1], {unpack(statements[key], 2)}
   for n = 1, sysbench.opt.tables do
      stmt[n][key], param[n][key] = prepare(string.format(text, n), types)
   end
end

function prepare_begin()
   stmt.begin = con:prepare("BEGIN")
end

function prepare_commit()
   stmt.commit = con:prepare("COMMIT")
end

function begin()
   stmt.begin:execute()
end

function commit()
   stmt.commit:execute()
end

-- Each kind draws one table an event, and all its repetitions use that one.

local function execute_range(key)
   local n = get_table_num()
   local statement, params = stmt[n][key], param[n][key]
   local last = sysbench.opt.range_size - 1
   for _ = 1, sysbench.opt[key] do
      local id = get_id()
      params[1]:set(id)
      params[2]:set(id + last)
      statement:execute()
   end
end

for _, key in ipairs({"simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"}) do
   _G["execute_" .. key] = function() execute_range(key) end
end

local function execute_by_id(key)
   local n = get_table_num()
   local statement, id = stmt[n][key], param[n][key][1]
   for _ = 1, sysbench.opt[key] do
      id:set(get_id())
      statement:execute()
   end
end

for _, key in ipairs({"point_selects", "index_updates"}) do
   _G["execute_" .. key] = function() execute_by_id(key) end
end

for _, key in ipairs({"point_selects", "simple_ranges", "sum_ranges", "order_ranges",
                      "distinct_ranges", "index_updates", "non_index_updates"}) do
   _G["prepare_" .. key] = function() prepare_for_each_table(key) end
end

function prepare_delete_inserts()
   prepare_for_each_table("deletes")
   prepare_for_each_table("inserts")
end

function execute_non_index_updates()
   local n = get_table_num()
   local statement, params = stmt[n].non_index_updates, param[n].non_index_updates
   for _ = 1, sysbench.opt.non_index_updates do
      params[1]:set_rand_str(C_FORMAT)
      params[2]:set(get_id())
      statement:execute()
   end
end

function execute_delete_inserts()
   local n = get_table_num()
   local delete, insert = stmt[n].deletes, stmt[n].inserts
   local deleted, params = param[n].deletes[1], param[n].inserts
   for _ = 1, sysbench.opt.delete_inserts do
      local id = get_id()
      local k = get_id()
      deleted:set(id)
      params[1]:set(id)
      params[2]:set(k)
      params[3]:set_rand_str(C_FORMAT)
      params[4]:set_rand_str(PAD_FORMAT)
      delete:execute()
      insert:execute()
   end
end

-- Connections ------------------------------------------------------------------------------------

-- `prepare_statements` is the including script's.
function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param = {}, {}
   for n = 1, sysbench.opt.tables do
      stmt[n], param[n] = {}, {}
   end
   prepare_statements()
end

function close_statements()
   for n = 1, sysbench.opt.tables do
      for _, statement in pairs(stmt[n]) do
         statement:close()
      end
   end
   if stmt.begin then
      stmt.begin:close()
   end
   if stmt.commit then
      stmt.commit:close()
   end
end

function thread_done()
   close_statements()
   con:disconnect()
end

-- Client errors after which the connection, and with it every prepared statement, is a new one.
local LOST = {
   [2006] = true, -- server has gone away
   [2011] = true, -- TCP error
   [2013] = true, -- lost connection during query
   [2055] = true -- lost connection, extended
}

function sysbench.hooks.before_restart_event(err)
   if LOST[err.sql_errno] then
      close_statements()
      prepare_statements()
   end
end

local events_since_connect = 0

function check_reconnect()
   local limit = sysbench.opt.reconnect
   if limit <= 0 then
      return
   end
   events_since_connect = events_since_connect + 1
   if events_since_connect >= limit then
      events_since_connect = 0
      close_statements()
      con:reconnect()
      prepare_statements()
   end
end
