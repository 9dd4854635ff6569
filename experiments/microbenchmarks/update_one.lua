-- The same row of a table, by all connections.

local micro = require("micro")

micro.statement("UPDATE sbtest%u SET k = k + 1 WHERE id = ?", 1, function(integers)
   integers[1]:set(1)
end)
