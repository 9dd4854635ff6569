#!/usr/bin/env sysbench
-- Counts the rows of ten random ranges of an indexed column, in one statement on one table.

require("oltp_common")

sysbench.cmdline.options.number_of_ranges = {
   "Number of random BETWEEN ranges per SELECT", 10
}
sysbench.cmdline.options.delta = {"Size of BETWEEN ranges", 5}

local statement, bounds
-- Each thread draws from a slice of the values that is its own.
local first, last

function prepare_statements()
   local count = sysbench.opt.number_of_ranges
   local ranges = string.rep("k BETWEEN ? AND ? OR ", count - 1) .. "k BETWEEN ? AND ?"
   statement = con:prepare("SELECT count(k) FROM sbtest1 WHERE " .. ranges)
   bounds = {}
   for i = 1, 2 * count do
      bounds[i] = statement:bind_create(sysbench.sql.type.INT)
   end
   statement:bind_param(unpack(bounds))
   stmt[1].ranges = statement

   local slice = sysbench.opt.table_size / sysbench.opt.threads
   first, last = slice * sysbench.tid, slice * (sysbench.tid + 1)
end

function event()
   for i = 1, #bounds, 2 do
      local value = sysbench.rand.default(first, last)
      bounds[i]:set(value)
      bounds[i + 1]:set(value + sysbench.opt.delta)
   end
   statement:execute()
   check_reconnect()
end
