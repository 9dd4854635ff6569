-- A hundred rows by primary key.

local micro = require("micro")

micro.points("c", "id", 100)
