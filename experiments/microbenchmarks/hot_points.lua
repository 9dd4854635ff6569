-- The same hundred rows by primary key, again and again, all columns.

local micro = require("micro")

local COUNT = 100

micro.statement(
   "SELECT id, k, c, pad FROM sbtest%u WHERE id IN (" .. micro.marks(COUNT) .. ")",
   COUNT,
   function(integers)
      for i = 1, COUNT do
         integers[i]:set(i)
      end
   end
)
