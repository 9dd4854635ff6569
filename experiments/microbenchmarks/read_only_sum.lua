-- A range of rows, summed.

local micro = require("micro")

micro.range("SELECT SUM(k) FROM sbtest%u WHERE id BETWEEN ? AND ?")
