-- A range of rows, sorted.

local micro = require("micro")

micro.range("SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c")
