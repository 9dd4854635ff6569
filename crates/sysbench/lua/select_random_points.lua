#!/usr/bin/env sysbench
-- Rows for ten random values of an indexed column, in one statement on one table.

require("oltp_common")

sysbench.cmdline.options.random_points = {
   "Number of random points in the IN() clause in generated SELECTs", 10
}

local statement, keys
-- Each thread draws from a slice of the values that is its own.
local first, last

function prepare_statements()
   local count = sysbench.opt.random_points
   local marks = string.rep("?, ", count - 1) .. "?"
   statement = con:prepare("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" .. marks .. ")")
   keys = {}
   for i = 1, count do
      keys[i] = statement:bind_create(sysbench.sql.type.INT)
   end
   statement:bind_param(unpack(keys))
   stmt[1].points = statement

   local slice = sysbench.opt.table_size / sysbench.opt.threads
   first, last = slice * sysbench.tid, slice * (sysbench.tid + 1)
end

function event()
   for i = 1, #keys do
      keys[i]:set(sysbench.rand.default(first, last))
   end
   statement:execute()
   check_reconnect()
end
