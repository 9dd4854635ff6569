-- Random numbers: `sysbench.rand`.

local host = ...
local C, rand = host.C, sysbench.rand

function rand.default(a, b) return C.rand_default(a, b) end
function rand.uniform(a, b) return C.rand_uniform(a, b) end
function rand.gaussian(a, b) return C.rand_gaussian(a, b) end
function rand.special(a, b) return C.rand_special(a, b) end
function rand.pareto(a, b) return C.rand_pareto(a, b) end
function rand.zipfian(a, b) return C.rand_zipfian(a, b) end
function rand.unique() return C.rand_unique() end
function rand.uniform_double() return C.rand_double() end
function rand.uniform_uint64() return C.rand_bits() end

-- Memory for strings, which is kept; it grows to the longest.
local buffer, room = ffi.new("char[?]", 256), 256

local function reserve(len)
   if len > room then
      buffer, room = ffi.new("char[?]", len * 2), len * 2
   end
   return buffer
end

function rand.string(template)
   local len = #template
   local out = reserve(len)
   C.rand_fill(template, len, out)
   return ffi.string(out, len)
end

function rand.varstring(min, max)
   if min > max then
      error("varstring: the least length is above the greatest", 2)
   end
   local len = C.rand_uniform(min, max)
   local out = reserve(len)
   C.rand_letters(out, len)
   return ffi.string(out, len)
end
