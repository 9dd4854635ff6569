-- A hundred rows by primary key, changed by one statement.

local micro = require("micro")

local COUNT = 100

micro.statement(
   "UPDATE sbtest%u SET k = k + 1 WHERE id IN (" .. micro.marks(COUNT) .. ")",
   COUNT,
   function(integers)
      for i = 1, COUNT do
         integers[i]:set(micro.id())
      end
   end
)
