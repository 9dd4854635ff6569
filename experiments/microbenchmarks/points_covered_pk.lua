-- A hundred rows by primary key; the key alone is read.

local micro = require("micro")

micro.points("id", "id", 100)
