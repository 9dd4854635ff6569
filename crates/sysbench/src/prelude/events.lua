-- The event loop: `thread_run`, which scripts may replace, and the restart of events.

local host = ...
local C = host.C
local RESTART = sysbench.error.RESTART_EVENT

local function restart(problem)
   if type(problem) ~= "table" or problem.errcode ~= RESTART then
      error(problem, 0)
   end
   local hook = sysbench.hooks.before_restart_event
   if hook then
      hook(problem)
   end
end

-- An event that is retried counts once, with all of its time. One that returns something ends
-- the loop, and doesn't count; nor does one that still fails when the run is over.
function thread_run(thread_id)
   while C.more_events(thread_id) do
      C.event_start(thread_id)
      local is_done, result
      repeat
         is_done, result = pcall(event, thread_id)
         if not is_done then
            restart(result)
            if C.is_over() then
               return
            end
         end
      until is_done
      if result then
         break
      end
      C.event_stop(thread_id)
   end
end

local own_loop = thread_run

function host.replaces_loop()
   return thread_run ~= own_loop
end
