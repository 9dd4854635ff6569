#!/usr/bin/env sysbench
-- Rows for random values of an indexed column.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function event()
   local values = {}
   for i = 1, random_points do
      values[i] = random_id()
   end
   db_query("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" .. table.concat(values, ", ") .. ")")
end
