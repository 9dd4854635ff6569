-- What sysbench 1.1 adds, or what 1.0 can't survive: only a better program runs this.

local T = sysbench.sql.type
local function say(...)
   local values = {...}
   for i = 1, select("#", ...) do values[i] = tostring(values[i]) end
   print("> " .. table.concat(values, " "))
end

local function values()
   local least, most, strange = math.huge, 0, 0
   for _ = 1, 2000 do
      local text = sysbench.rand.varstring(3, 9)
      least, most = math.min(least, #text), math.max(most, #text)
      strange = strange + (text:match("^[0-z]*$") and 0 or 1)
   end
   say("varstring", least, most, strange)
   local counts = {}
   for _ = 1, 20000 do
      local value = sysbench.rand.zipfian(1, 100)
      counts[value] = (counts[value] or 0) + 1
   end
   say("zipfian", counts[1] > counts[2], counts[2] > counts[50], counts[0], counts[101])
end

local function doubles(con)
   con:query("CREATE TABLE d (f DOUBLE)")
   local insert = con:prepare("INSERT INTO d VALUES (?)")
   local value = insert:bind_create(T.DOUBLE)
   insert:bind_param(value)
   for _, number in ipairs({1.5, -2.25}) do
      value:set(number)
      insert:execute()
   end
   value:set(nil)
   insert:execute()
   insert:close()
   say("double", con:query_row("SELECT SUM(f), COUNT(f), COUNT(*) FROM d"))
end

local function results(con)
   con:query("CREATE PROCEDURE two() BEGIN SELECT 1 AS a; SELECT 2 AS b UNION SELECT 3; END")
   local rs = con:query("CALL two()")
   say("first", rs.nrows, rs:fetch_row()[1])
   say("more", con:more_results())
   rs = con:next_result()
   say("second", rs.nrows, rs:fetch_row()[1])
   while con:more_results() do con:next_result() end
   say("after", con:query_row("SELECT 4"))
end

local function connections(con)
   local id = con:query_row("SELECT CONNECTION_ID()")
   con:reconnect()
   say("reconnect", con:query_row("SELECT CONNECTION_ID()") ~= id)
   local other = sysbench.sql.driver():connect()
   local doomed = other:query_row("SELECT CONNECTION_ID()")
   con:query("KILL " .. doomed)
   local ok, err = pcall(other.query, other, "SELECT 5")
   say("killed", ok, type(err), type(err) == "table" and err.errcode)
   say("lives", other:query_row("SELECT CONNECTION_ID()") ~= doomed)
end

function event()
   local con = sysbench.sql.driver():connect()
   values()
   doubles(con)
   results(con)
   connections(con)
   return true
end
