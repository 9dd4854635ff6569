-- One row by primary key; few of them get most of the updates.

local micro = require("micro")

micro.statement("UPDATE sbtest%u SET k = k + 1 WHERE id = ?", 1, function(integers)
   integers[1]:set(sysbench.rand.zipfian(1, sysbench.opt.table_size))
end)
