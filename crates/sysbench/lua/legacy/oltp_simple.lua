#!/usr/bin/env sysbench
-- One row by its id an event, of the first table.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function event()
   db_query(string.format("SELECT c FROM sbtest1 WHERE id=%d", random_id()))
end
