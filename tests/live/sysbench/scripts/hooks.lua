-- Reports of its own: what the hooks get, and the ready-made reporters.

-- Options are not read yet while the body runs, but the command line is there.
local reporter = "own"
for _, argument in pairs(sysbench.cmdline.argv) do
   reporter = argument:match("^%-%-reporter=(.*)") or reporter
end

ffi.cdef("int usleep(unsigned int);")

local function own(kind)
   return function(stat)
      local names = {}
      for name, value in pairs(stat) do names[#names + 1] = name .. "=" .. type(value) end
      table.sort(names)
      print("> " .. kind .. " " .. table.concat(names, " "))
      print("> events " .. tostring(stat.events > 0) .. " reads " ..
         tostring(math.abs(stat.reads - stat.events) <= 2) .. " interval " ..
         tostring(stat.time_interval > 0 and stat.time_interval < 10) .. " latency " ..
         tostring(stat.latency_pct >= 0.01 and stat.latency_pct < 10))
   end
end

-- Reports are made in a state of their own, in which only the body has run.
sysbench.hooks.report_intermediate = sysbench["report_" .. reporter] or own("intermediate")
sysbench.hooks.report_cumulative = own("cumulative")

function event()
   con = con or sysbench.sql.driver():connect()
   con:query("SELECT 1")
   ffi.C.usleep(20000)
end
