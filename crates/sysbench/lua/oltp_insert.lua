#!/usr/bin/env sysbench
-- Inserts one row an event, as text, committed by itself.

require("oltp_common")

local rand = sysbench.rand

-- With ids of the client's, rows of `prepare` could have those that an event draws.
sysbench.cmdline.commands.prepare = {
   function()
      if not sysbench.opt.auto_inc then
         sysbench.opt.table_size = 0
      end
      cmd_prepare()
   end,
   sysbench.cmdline.PARALLEL_COMMAND
}

-- Nothing is prepared: an INSERT of text is what this script measures.
function prepare_statements()
end

-- What stands for the id: the server's choice, or one that no other event of this run has.
local function id_column()
   if not sysbench.opt.auto_inc then
      -- The smallest INTEGER is -2^31; unique() starts at 0.
      return "(id, k, c, pad)", string.format("%d, ", rand.unique() - 2147483648)
   end
   if drv:name() == "pgsql" then
      return "(k, c, pad)", ""
   end
   return "(id, k, c, pad)", "0, "
end

function event()
   local opt = sysbench.opt
   local name = "sbtest" .. rand.uniform(1, opt.tables)
   local k = rand.default(1, opt.table_size)
   local c, pad = get_c_value(), get_pad_value()
   local columns, id = id_column()
   con:query(string.format("INSERT INTO %s %s VALUES (%s%d, '%s', '%s')",
      name, columns, id, k, c, pad))
   check_reconnect()
end
