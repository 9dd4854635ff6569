-- A hundred rows by primary key, all columns.

local micro = require("micro")

micro.points("id, k, c, pad", "id", 100)
