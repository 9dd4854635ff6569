-- Counters of the program through ffi: what a script counts stands in its report.

ffi.cdef("void sb_counter_inc(int, sb_counter_type);")

local drv = sysbench.sql.driver()
print("> driver " .. drv:name())
local C = ffi.C
print("> kinds " .. table.concat({tonumber(C.SB_CNT_OTHER), tonumber(C.SB_CNT_READ),
   tonumber(C.SB_CNT_WRITE), tonumber(C.SB_CNT_TRX), tonumber(C.SB_CNT_ERROR),
   tonumber(C.SB_CNT_RECONNECT)}, " "))

function event(thread_id)
   for _ = 1, 2 do C.sb_counter_inc(thread_id, C.SB_CNT_READ) end
   for _ = 1, 3 do C.sb_counter_inc(thread_id, C.SB_CNT_WRITE) end
   for _ = 1, 4 do C.sb_counter_inc(thread_id, C.SB_CNT_OTHER) end
   for _ = 1, 5 do C.sb_counter_inc(thread_id, C.SB_CNT_ERROR) end
   C.sb_counter_inc(thread_id, C.SB_CNT_RECONNECT)
end
