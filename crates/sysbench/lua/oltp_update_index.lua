#!/usr/bin/env sysbench
-- Updates of an indexed column, each committed by itself.

require("oltp_common")

function prepare_statements()
   prepare_index_updates()
end

function event()
   execute_index_updates()
   check_reconnect()
end
