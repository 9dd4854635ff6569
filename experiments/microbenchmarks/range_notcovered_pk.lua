-- A range of rows by primary key.

local micro = require("micro")

micro.range("SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ?")
