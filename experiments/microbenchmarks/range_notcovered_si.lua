-- A range of a secondary index, and the rows behind it.

local micro = require("micro")

micro.range("SELECT c FROM sbtest%u FORCE INDEX (k_%u) WHERE k BETWEEN ? AND ?")
