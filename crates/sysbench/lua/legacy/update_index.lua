#!/usr/bin/env sysbench
-- An update of an indexed column an event.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function event()
   db_query(string.format("UPDATE %s SET k=k+1 WHERE id=%d", random_table(), random_id()))
end
