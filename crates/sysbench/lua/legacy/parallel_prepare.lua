#!/usr/bin/env sysbench
-- Fills all tables in a run with as many threads as wanted: each makes its share once.

-- Beside this file, wherever the script is run from.
dofile((string.match(test, "(.*/)") or "") .. "common.lua")

function thread_init(thread_id)
   set_vars()
   for n = thread_id + 1, oltp_tables_count, tonumber(num_threads) or 1 do
      create_insert(n)
   end
end

-- Whatever is returned ends the thread: all is done before the first event.
function event()
   return true
end
