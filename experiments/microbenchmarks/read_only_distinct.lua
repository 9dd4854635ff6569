-- A range of rows, without duplicates, sorted.

local micro = require("micro")

micro.range("SELECT DISTINCT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c")
