-- A hundred rows by primary key, changed by one statement.

local micro = require("micro")

micro.any_of("UPDATE sbtest%u SET k = k + 1 WHERE id", 100)
