-- A hundred values of a secondary index, and the rows behind them.

local micro = require("micro")

micro.points("c", "k", 100)
