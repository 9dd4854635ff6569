-- A range of rows, counted.

local micro = require("micro")

micro.range("SELECT COUNT(k) FROM sbtest%u WHERE id BETWEEN ? AND ?")
