-- A range of the primary key; the key alone is read.

local micro = require("micro")

micro.range("SELECT id FROM sbtest%u WHERE id BETWEEN ? AND ?")
