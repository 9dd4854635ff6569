-- A range of a secondary index, which has all that is read.

local micro = require("micro")

micro.range("SELECT k FROM sbtest%u WHERE k BETWEEN ? AND ?")
