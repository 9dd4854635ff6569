-- Draws values by a distribution of sysbench and prints how often each came.

sysbench.cmdline.options = {
   distribution = {"name of the function in sysbench.rand", "uniform"},
   values = {"the largest value; the smallest is 1", 1000},
   draws = {"how many", 100000},
}

function event()
   local draw, counts = sysbench.rand[sysbench.opt.distribution], {}
   for _ = 1, sysbench.opt.draws do
      local value = draw(1, sysbench.opt.values)
      counts[value] = (counts[value] or 0) + 1
   end
   for value = 1, sysbench.opt.values do
      if counts[value] then print(string.format("> %d %d", value, counts[value])) end
   end
   return true
end
