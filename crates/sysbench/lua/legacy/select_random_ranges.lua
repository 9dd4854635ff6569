#!/usr/bin/env sysbench
-- Counts the rows of random ranges of an indexed column.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function event()
   local ranges = {}
   for i = 1, number_of_ranges do
      local first = random_id()
      ranges[i] = string.format("k BETWEEN %d AND %d", first, first + delta)
   end
   db_query("SELECT COUNT(k) FROM sbtest1 WHERE " .. table.concat(ranges, " OR "))
end
