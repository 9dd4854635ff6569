-- Random functions: ranges, conversions of arguments, formats, what doesn't exist.

local R = sysbench.rand
local function say(...)
   local values = {...}
   for i = 1, select("#", ...) do values[i] = tostring(values[i]) end
   print("> " .. table.concat(values, " "))
end
local function try(what, f, ...)
   local ok, err = pcall(f, ...)
   say(what, ok, err:match("cannot convert .*'") or "")
end
local function range(name, f, low, high)
   local least, most, whole = math.huge, -math.huge, true
   for _ = 1, 4000 do
      local value = f(low, high)
      least, most = math.min(least, value), math.max(most, value)
      whole = whole and value % 1 == 0
   end
   say(name, low, high, "within", least >= low and most <= high, "whole", whole, type(f(low, high)))
end

function event()
   for _, name in ipairs({"default", "uniform", "gaussian", "special", "pareto"}) do
      range(name, R[name], 1, 1000)
      range(name, R[name], 7, 7)
   end
   range("legacy sb_rand", sb_rand, 1, 10)
   range("legacy sb_rand_uniform", sb_rand_uniform, 1, 10)
   range("legacy sb_rand_gaussian", sb_rand_gaussian, 1, 10)
   range("legacy sb_rand_special", sb_rand_special, 1, 10)
   range("legacy sb_rand_uniq", sb_rand_uniq, 5, 100000)
   say("sb_rand_str", #sb_rand_str("###-@@"), sb_rand_str("#-@"):match("^%d%-%l$") ~= nil)
   local bits = sb_rnd()
   say("sb_rnd", bits >= 0 and bits < 2 ^ 32, bits % 1)

   say("fractions", R.uniform(3.9, 3.2), R.uniform(3.9, 3.9))
   local wrapped = R.uniform(-5, -1)
   say("negative", wrapped >= 4294967291 and wrapped <= 4294967295)
   say("all of 32 bits", R.uniform(0, 4294967295))
   try("nil", R.uniform, nil, 1)
   try("no arguments", R.uniform)
   try("string", R.uniform, "1", 5)

   local u = R.uniform_double()
   say("double", u >= 0 and u < 1, type(u))
   local big = R.uniform_uint64()
   say("uint64", type(big), tostring(big):match("^%d+ULL$") ~= nil)
   local seen, twice = {}, 0
   for _ = 1, 5000 do
      local value = R.unique()
      twice = twice + (seen[value] and 1 or 0)
      seen[value] = true
   end
   say("unique", twice, type(R.unique()))

   say("string", R.string("###-@@@ literal \\ '"):match("^%d%d%d%-%l%l%l literal \\ '$") ~= nil)
   say("empty", #R.string(""), "long", #R.string(("#"):rep(1000)))
   say("string of nil", (pcall(R.string, nil)))
   return true
end
