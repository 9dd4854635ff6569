-- What every script finds before its own first line: the table `sysbench`, `ffi`, C functions.
--
-- `host` is what Rust hands to preludes; no script sees it. Its functions that are called often
-- become C functions of the FFI here, in `host.C`, the others are called as they are.

local host = ...

ffi = require("ffi")
io.stdout:setvbuf("no")

-- Each line in one piece, as threads print at the same time.
function print(...)
   local words = { ... }
   for i = 1, select("#", ...) do
      words[i] = tostring(words[i])
   end
   io.stdout:write(table.concat(words, "\t") .. "\n")
end

ffi.cdef [[
typedef enum {
   SB_CNT_OTHER, SB_CNT_READ, SB_CNT_WRITE, SB_CNT_TRX, SB_CNT_ERROR, SB_CNT_RECONNECT,
   SB_CNT_BYTES_READ, SB_CNT_BYTES_WRITTEN, SB_CNT_MAX
} sb_counter_type;
typedef struct { const char *text; int64_t len; } dyno_text;
typedef struct {
   int64_t integer; double real; const char *text; uint32_t len; uint32_t room; int32_t kind;
} dyno_param;
]]

local DRAW = "uint32_t (*)(uint32_t, uint32_t)"
local TYPES = {
   query = "int (*)(int, const char *, size_t)",
   execute = "int (*)(int, int, const dyno_param *const *, int)",
   next_row = "const dyno_text *(*)(int)",
   show = "void (*)(int, void *)",
   bulk_next = "int (*)(int, const char *, size_t)",
   more_events = "bool (*)(int)",
   is_over = "bool (*)(void)",
   event_start = "void (*)(int)",
   event_stop = "void (*)(int)",
   counter_inc = "void (*)(int, int)",
   rand_default = DRAW,
   rand_uniform = DRAW,
   rand_gaussian = DRAW,
   rand_special = DRAW,
   rand_pareto = DRAW,
   rand_zipfian = DRAW,
   rand_unique = "uint32_t (*)(void)",
   rand_double = "double (*)(void)",
   rand_bits = "uint64_t (*)(void)",
   rand_fill = "void (*)(const char *, size_t, char *)",
   rand_letters = "void (*)(char *, size_t)",
}

host.C = {}
for name, ctype in pairs(TYPES) do
   host.C[name] = ffi.cast(ctype, ffi.cast("uintptr_t", host.addresses[name]))
end

local C = host.C
if host.is_driven then
   -- The load engine times events.
   local function nothing() end
   C.event_start, C.event_stop = nothing, nothing
end

-- Levels of messages.
host.FATAL, host.ALERT, host.WARNING = 0, 1, 2

sysbench = {
   tid = host.tid,
   version = host.version,
   version_string = host.version_string,
   cmdline = {},
   rand = {},
   sql = {},
   db = {},
   histogram = {},
   hooks = {},
   error = { NONE = 0, RESTART_EVENT = 1 },
}

-- sysbench exports these from its executable, so scripts find them in `ffi.C`. Here they are
-- names before it; whatever else is asked for is the C library's.
local system = ffi.C
local exported = {
   sb_counter_inc = C.counter_inc,
   sb_more_events = C.more_events,
   sb_event_start = C.event_start,
   sb_event_stop = C.event_stop,
   sb_rand_default = C.rand_default,
   sb_rand_uniform = C.rand_uniform,
   sb_rand_gaussian = C.rand_gaussian,
   sb_rand_special = C.rand_special,
   sb_rand_pareto = C.rand_pareto,
   sb_rand_zipfian = C.rand_zipfian,
   sb_rand_unique = C.rand_unique,
   sb_rand_uniform_double = C.rand_double,
   sb_rand_uniform_uint64 = C.rand_bits,
}

function exported.sb_rand_str(template, out)
   template = ffi.string(template)
   C.rand_fill(template, #template, out)
end

function exported.sb_rand_varstr(out, min, max)
   local len = C.rand_uniform(min, max)
   C.rand_letters(out, len)
   return len
end

ffi.C = setmetatable(exported, {
   __index = system,
   __newindex = function(_, name, value) system[name] = value end,
})

-- Calls a function of the script: true and its result, or false and the error.
host.guarded = pcall

function host.has_hook(name)
   return sysbench.hooks[name] ~= nil
end

function host.hook(name)
   return sysbench.hooks[name]
end

function sysbench.histogram.new(size, min, max)
   local number = host.histogram_new(size, min, max)
   return setmetatable({}, {
      __index = {
         update = function(_, value) host.histogram_update(number, value) end,
         print = function() host.print(host.histogram_picture(number)) end,
      },
      __tostring = function() return "<sb_histogram>" end,
   })
end
