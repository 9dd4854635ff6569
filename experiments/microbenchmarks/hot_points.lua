-- The same hundred rows by primary key, again and again, all columns.

local micro = require("micro")

micro.any_of("SELECT id, k, c, pad FROM sbtest%u WHERE id", 100, function(i)
   return i
end)
