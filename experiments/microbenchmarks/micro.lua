-- What the microbenchmarks share: one prepared statement over integers, on the tables of
-- oltp_common. Each script is one kind of statement, so that an op's CPU time is that kind's alone.

require("oltp_common")

local micro = {}

-- A random id, by the distribution that the options say.
function micro.id()
   return sysbench.rand.default(1, sysbench.opt.table_size)
end

-- The script's work: `text`, with %u for the table's number, is prepared for each table with `count`
-- integers. An event draws a table, lets `draw` set the integers, and executes.
function micro.statement(text, count, draw)
   function prepare_statements()
      for n = 1, sysbench.opt.tables do
         local statement, integers = con:prepare((string.gsub(text, "%%u", n))), {}
         for i = 1, count do
            integers[i] = statement:bind_create(sysbench.sql.type.INT)
         end
         if count > 0 then
            statement:bind_param(unpack(integers))
         end
         stmt[n].micro, param[n].micro = statement, integers
      end
   end

   function event()
      local n = sysbench.rand.uniform(1, sysbench.opt.tables)
      draw(param[n].micro)
      stmt[n].micro:execute()
      check_reconnect()
   end
end

-- `text`, which names a column at its end, for rows with one of `count` values of it: random ids, or
-- what `value` gives for 1 to `count`.
function micro.any_of(text, count, value)
   local marks = string.rep("?, ", count - 1) .. "?"
   micro.statement(text .. " IN (" .. marks .. ")", count, function(integers)
      for i = 1, count do
         integers[i]:set((value or micro.id)(i))
      end
   end)
end

-- `columns` of rows with one of `count` random values of `key`.
function micro.points(columns, key, count)
   micro.any_of("SELECT " .. columns .. " FROM sbtest%u WHERE " .. key, count)
end

-- A SELECT of a range of `key`, as long as `range_size` says; `text` ends with BETWEEN ? AND ?, or
-- with what comes after that.
function micro.range(text)
   micro.statement(text, 2, function(integers)
      local first = micro.id()
      integers[1]:set(first)
      integers[2]:set(first + sysbench.opt.range_size - 1)
   end)
end

return micro
