#!/usr/bin/env sysbench
-- An update of a column without an index an event.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function event()
   db_query(string.format("UPDATE %s SET c='%s' WHERE id=%d", random_table(), random_c(),
      random_id()))
end
