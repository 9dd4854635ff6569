-- A whole table is read, and no row of it is sent.

local micro = require("micro")

micro.statement("SELECT id FROM sbtest%u WHERE LENGTH(c) < 0", 0, function() end)
