-- A histogram of a script's own: logarithmic buckets, clamped at both ends.

function init()
   local h = sysbench.histogram.new(1000, 0.1, 10000)
   for _, value in ipairs({1, 1, 1, 10, 10, 100, 0.0001, 1e9}) do h:update(value) end
   print("> first")
   h:print()
   print("> second")
   local fine = sysbench.histogram.new(5, 1, 16)
   for value = 1, 16 do fine:update(value) end
   fine:print()
   print("> empty")
   sysbench.histogram.new(10, 1, 10):print()
   print("> end")
end

function event() return true end
