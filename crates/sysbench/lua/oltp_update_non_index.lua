#!/usr/bin/env sysbench
-- Updates of a column without an index, each committed by itself.

require("oltp_common")

function prepare_statements()
   prepare_non_index_updates()
end

function event()
   execute_non_index_updates()
   check_reconnect()
end
