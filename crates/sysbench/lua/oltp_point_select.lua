#!/usr/bin/env sysbench
-- One row by its id an event, without a transaction.

require("oltp_common")

function prepare_statements()
   sysbench.opt.point_selects = 1
   prepare_point_selects()
end

function event()
   execute_point_selects()
   check_reconnect()
end
