#!/usr/bin/env sysbench
-- The transaction of 0.5: reads by point and range, updates, a row replaced. All as text.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

local function read_ranges(count, form)
   local name = random_table()
   for _ = 1, count do
      local first = random_id()
      db_query(string.format(form, name, first, first + oltp_range_size - 1))
   end
end

local function read()
   local name = random_table()
   for _ = 1, oltp_point_selects do
      db_query(string.format("SELECT c FROM %s WHERE id=%d", name, random_id()))
   end
   if not oltp_range_selects then
      return
   end
   local range = "FROM %s WHERE id BETWEEN %d AND %d"
   read_ranges(oltp_simple_ranges, "SELECT c " .. range)
   read_ranges(oltp_sum_ranges, "SELECT SUM(k) " .. range)
   read_ranges(oltp_order_ranges, "SELECT c " .. range .. " ORDER BY c")
   read_ranges(oltp_distinct_ranges, "SELECT DISTINCT c " .. range .. " ORDER BY c")
end

local function write()
   local name = random_table()
   for _ = 1, oltp_index_updates do
      db_query(string.format("UPDATE %s SET k=k+1 WHERE id=%d", name, random_id()))
   end
   name = random_table()
   for _ = 1, oltp_non_index_updates do
      db_query(string.format("UPDATE %s SET c='%s' WHERE id=%d", name, random_c(), random_id()))
   end
   name = random_table()
   for _ = 1, oltp_delete_inserts do
      local id = random_id()
      db_query(string.format("DELETE FROM %s WHERE id=%d", name, id))
      db_query(string.format("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')",
         name, id, random_id(), random_c(), random_pad()))
   end
end

-- MyISAM has no transactions; locks keep others out instead.
local function begin()
   if mysql_table_engine ~= "myisam" then
      db_query("BEGIN")
      return
   end
   local locks = {}
   for n = 1, oltp_tables_count do
      locks[n] = "sbtest" .. n .. (oltp_read_only and " READ" or " WRITE")
   end
   db_query("LOCK TABLES " .. table.concat(locks, ", "))
end

local function commit()
   db_query(mysql_table_engine == "myisam" and "UNLOCK TABLES" or "COMMIT")
end

function event()
   if not oltp_skip_trx then
      begin()
   end
   read()
   if not oltp_read_only then
      write()
   end
   if not oltp_skip_trx then
      commit()
   end
end
