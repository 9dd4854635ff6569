-- Commands of its own: alone, in all threads, failing, over a built-in name.

local C = sysbench.cmdline

-- One write a line, since threads print at once.
local function say(...) io.write("> " .. table.concat({...}, " ") .. "\n") end

C.commands = {
   single = {function(...) say("single", sysbench.tid, select("#", ...)) end},
   parallel = {function() say("parallel", sysbench.tid) end, C.PARALLEL_COMMAND},
   refuse = {function() say("refuse") return false end},
   broken = {function() error("broke") end},
   share = {function()
      for i = sysbench.tid % sysbench.opt.threads + 1, 5, sysbench.opt.threads do
         say("share", sysbench.tid, i)
      end
   end, C.PARALLEL_COMMAND},
   cleanup = {function() say("own cleanup") end},
   ask = {function()
      say("defined", tostring(C.command_defined("parallel")), tostring(C.command_defined("nix")))
      say("parallel", tostring(C.command_parallel("parallel")),
         tostring(not not C.command_parallel("single")))
      say("call", tostring(C.call_command("single")))
      say("constants", C.ARG_NULL, C.ARG_BOOL, C.ARG_INT, C.ARG_SIZE, C.ARG_DOUBLE, C.ARG_STRING,
         C.ARG_LIST, C.ARG_FILE, C.ARG_MAX, tostring(C.PARALLEL_COMMAND))
      say("command", C.command, C.script_path, #C.argv > 1 and "argv" or "", type(C.argv[0]))
   end},
}

function cleanup() say("never") end
function prepare() say("global prepare") end
