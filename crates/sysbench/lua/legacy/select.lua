#!/usr/bin/env sysbench
-- One row by its id an event.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function event()
   db_query(string.format("SELECT pad FROM %s WHERE id=%d", random_table(), random_id()))
end
