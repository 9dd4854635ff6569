-- Says which functions are called when, and with what.

-- One write a line, since threads print at once.
local function say(...) io.write("> " .. table.concat({...}, " ") .. "\n") end
local function shown(...)
   local values = {...}
   for i = 1, select("#", ...) do values[i] = tostring(values[i]) end
   return "(" .. table.concat(values, ", ") .. ")"
end

say("body", tostring(sysbench.cmdline.command), "opt", tostring(sysbench.opt))

function init(...) say("init", shown(...), "tid", sysbench.tid, "threads", sysbench.opt.threads) end
function prepare(...) say("prepare", shown(...)) return false end
function cleanup(...) say("cleanup", shown(...)) end
function help(...) say("help", shown(...)) end
function thread_init(...) say("thread_init", shown(...), "tid", sysbench.tid) end
function thread_done(...) say("thread_done", shown(...)) end
function done(...) say("done", shown(...)) end

local events = 0
function event(...)
   events = events + 1
   if sysbench.tid == 0 or events == 1 then say("event", shown(...), "number", events) end
   -- Anything but nil and false ends this thread, and that event isn't counted; 0 is true.
   if events == 3 then return 0 end
   if events == 2 then return false end
end
