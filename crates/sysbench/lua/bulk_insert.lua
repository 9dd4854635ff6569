#!/usr/bin/env sysbench
-- Each thread fills a table of its own with rows of one INSERT per 512 KiB. An event is a row
-- appended to the client's buffer, so few events send anything.

local con
local rows = 0

function thread_init()
   con = sysbench.sql.driver():connect()
   con:bulk_insert_init(string.format("INSERT INTO sbtest%d VALUES", sysbench.tid + 1))
end

function event()
   rows = rows + 1
   con:bulk_insert_next(string.format("(%d,%d)", rows, rows))
end

function thread_done()
   con:bulk_insert_done()
   con:disconnect()
end

-- Says and does something for the table of each thread.
local function for_each_table(said, sql)
   local connection = sysbench.sql.driver():connect()
   for n = 1, sysbench.opt.threads do
      print(string.format(said, n))
      connection:query(string.format(sql, n))
   end
end

function prepare()
   for_each_table("Creating table 'sbtest%d'...", [[
CREATE TABLE IF NOT EXISTS sbtest%d (
  id INTEGER NOT NULL,
  k INTEGER DEFAULT '0' NOT NULL,
  PRIMARY KEY (id))]])
end

function cleanup()
   for_each_table("Dropping table 'sbtest%d'...", "DROP TABLE IF EXISTS sbtest%d")
end
