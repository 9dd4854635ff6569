-- Names that scripts find: Lua's libraries, those of LuaJIT, sysbench's tables.

local function say(...) print("> " .. table.concat({...}, " ")) end

ffi.cdef("int printf(const char *, ...);")
say("ffi", type(ffi), tostring(ffi == require("ffi")), tostring(ffi.C.printf ~= nil))
for _, name in ipairs({"io", "os", "debug", "bit", "jit", "coroutine", "package"}) do
   say("library", name, type(_G[name]))
end
for _, name in ipairs({"unpack", "setfenv", "getfenv", "loadstring", "module", "newproxy"}) do
   say("function", name, type(_G[name]))
end
say("table.getn", type(table.getn), table.getn({1, 2, 3}))
say("version", _VERSION, jit.version:match("^LuaJIT 2%.%d"))
say("format", string.format("%d", 3.7), string.format("%d", "12"))

for _, name in ipairs({"tid", "version", "version_string", "cmdline", "rand", "sql", "histogram",
                       "hooks", "error", "report_csv", "report_json", "report_default", "db"}) do
   say("sysbench." .. name, type(sysbench[name]))
end
say("version", sysbench.version, sysbench.version_string:match("^sysbench 1%.%d"))
say("error", sysbench.error.NONE, sysbench.error.RESTART_EVENT)
local types = {}
for name, number in pairs(sysbench.sql.type) do types[#types + 1] = number .. " " .. name end
table.sort(types, function(a, b) return tonumber(a:match("%d+")) < tonumber(b:match("%d+")) end)
say("sql.type", table.concat(types, ", "))
local error = sysbench.sql.error
say("sql.error", error.NONE, error.IGNORABLE, error.FATAL)

local hooks = {"report_intermediate", "report_cumulative", "before_restart_event",
   "sql_error_ignorable"}
for _, name in ipairs(hooks) do say("hook", name, type(sysbench.hooks[name])) end

local path = package.path
say("path", path:match("^%./%?%.lua;%./%?/init%.lua;%./src/lua/%?%.lua;") and "begins" or path)
say("path", path:find("/.luarocks/share/lua/5.1/?.lua", 1, true) and "rocks" or path)
say("path", path:find("/usr/local/share/lua/5.1/?.lua", 1, true) and "local" or path)
say("cpath", package.cpath:find("?.so", 1, true) and "so" or package.cpath)
say("script", tostring(sysbench.cmdline.script_path), tostring(sysbench.cmdline.command))
