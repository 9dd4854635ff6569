#!/usr/bin/env sysbench
-- Inserts a row an event.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function event()
   local id = oltp_auto_inc and 0 or sb_rand_uniq(1, 4294967295)
   db_query(string.format("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')",
      random_table(), id, random_id(), random_c(), random_pad()))
end
