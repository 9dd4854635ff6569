-- A hundred values of a secondary index, which has all that is read.

local micro = require("micro")

micro.points("k", "k", 100)
