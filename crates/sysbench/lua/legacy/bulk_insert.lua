#!/usr/bin/env sysbench
-- Each thread fills a table of its own; an event is a row appended to the client's buffer.

local rows = 0

function prepare()
   for n = 1, tonumber(num_threads) or 1 do
      print(string.format("Creating table 'sbtest%d'...", n))
      db_query(string.format([[
CREATE TABLE IF NOT EXISTS sbtest%d (
  id INTEGER UNSIGNED NOT NULL,
  k INTEGER UNSIGNED DEFAULT '0' NOT NULL,
  PRIMARY KEY (id)) /*! ENGINE = %s */]], n, mysql_table_engine or "innodb"))
   end
end

function cleanup()
   for n = 1, tonumber(num_threads) or 1 do
      print(string.format("Dropping table 'sbtest%d'...", n))
      db_query("DROP TABLE IF EXISTS sbtest" .. n)
   end
end

function thread_init(thread_id)
   db_bulk_insert_init(string.format("INSERT INTO sbtest%d VALUES", thread_id + 1))
end

function event()
   rows = rows + 1
   db_bulk_insert_next(string.format("(%d,%d)", rows, rows))
end

function thread_done()
   db_bulk_insert_done()
end
