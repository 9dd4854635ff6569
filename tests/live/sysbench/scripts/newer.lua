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

local function all(rs)
   local lines = {}
   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      for i = 1, rs.nfields do row[i] = tostring(row[i]) end
      lines[#lines + 1] = table.concat(row, "|")
   end
   return table.concat(lines, "\n"), rs:fetch_row()
end

local function prepared_rows(con)
   con:query([[CREATE TABLE y (i INT, u INT(5) UNSIGNED ZEROFILL, t TINYINT, s SMALLINT UNSIGNED,
      b BIGINT UNSIGNED, f FLOAT, d DOUBLE, dd DOUBLE(8,2), n DECIMAL(8,3), c CHAR(5), v VARCHAR(20),
      e ENUM('x', 'y'), da DATE, dt DATETIME, ti TIME, ts TIMESTAMP NULL, ye YEAR, x BLOB)]])
   con:query([[INSERT INTO y VALUES
      (-1, 42, -128, 65535, 18446744073709551615, 0.1, 1.5, 2.5, 1.25, 'a', 'it''s', 'y',
       '2012-03-04', '2012-03-04 05:06:07', '-51:00:01', '2012-03-04 05:06:07', 1999, 'blob'),
      (0, 0, 0, 0, 0, 333333.3, 1e20, -0.5, -0.125, '', '', 'x',
       '0001-01-01', '9999-12-31 23:59:59', '838:59:59', '2030-01-01 00:00:00', 2155, ''),
      (1, 99999, 127, 1, 1, 1e10, 123456.789e-3, 0, 99999.999, 'abcde', NULL, NULL, NULL, NULL,
       NULL, NULL, NULL, NULL)]])
   local sql = "SELECT * FROM y ORDER BY i"
   local asked, behind = all(con:query(sql))
   local statement = con:prepare(sql)
   local given = all(statement:execute())
   say("prepared rows", given == asked, behind, given == asked or asked .. "\n" .. given)
   say("once more", all(statement:execute()) == asked)
   local one = con:prepare("SELECT i, v FROM y WHERE i = ?")
   local i = one:bind_create(T.INT)
   one:bind_param(i)
   for _, value in ipairs({-1, 5}) do
      i:set(value)
      local rs = one:execute()
      local row = rs:fetch_row() or {}
      say("one", rs.nrows, row[1], row[2])
   end
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
   prepared_rows(con)
   results(con)
   connections(con)
   return true
end
