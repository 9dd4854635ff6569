#!/usr/bin/env sysbench
-- Deletes a row by its id an event; none comes back.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function event()
   db_query(string.format("DELETE FROM %s WHERE id=%d", random_table(), random_id()))
end
