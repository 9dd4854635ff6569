-- Bulk inserts: what is buffered, what is sent when, and misuse.

local function say(...)
   local values = {...}
   for i = 1, select("#", ...) do values[i] = tostring(values[i]) end
   print("> " .. table.concat(values, " "))
end
local function try(what, f, ...)
   local ok, err = pcall(f, ...)
   if type(err) == "string" then err = err:gsub("^.-:%d+: ", "") end
   say(what, ok, not ok and type(err) == "table" and "table" or err)
end

function prepare()
   local con = sysbench.sql.driver():connect()
   local function count() return con:query_row("SELECT COUNT(*) FROM b") end
   con:query("CREATE TABLE b (id INT PRIMARY KEY, v TEXT)")
   say("init", (con:bulk_insert_init("INSERT INTO b VALUES")))
   for i = 1, 10 do con:bulk_insert_next("(" .. i .. ", 'a')") end
   say("buffered", count())
   say("done", (con:bulk_insert_done()))
   say("sent", count())

   -- 100 rows of 10,000 bytes are a buffer of 512 KiB and a rest.
   con:query("DELETE FROM b")
   con:bulk_insert_init("INSERT INTO b (id, v) VALUES")
   local value, seen = ("x"):rep(9980), {}
   for i = 1, 100 do
      con:bulk_insert_next(string.format("(%3d, '%s')", i, value))
      seen[#seen + 1] = count()
   end
   con:bulk_insert_done()
   local steps = {}
   for i = 2, #seen do
      if seen[i] ~= seen[i - 1] then steps[#steps + 1] = i .. ":" .. seen[i] end
   end
   say("steps", table.concat(steps, " "), "all", count())

   con:bulk_insert_init("INSERT INTO b VALUES")
   con:bulk_insert_done()
   say("empty", count())
   say("idle done", (con:bulk_insert_done()))
   try("no init", con.bulk_insert_next, con, "(1, 'a')")
   con:bulk_insert_init("INSERT INTO b VALUES")
   try("too long", con.bulk_insert_next, con, "(777, '" .. ("x"):rep(600000) .. "')")
   con:bulk_insert_init("INSERT INTO b VALUES")
   con:bulk_insert_next("(1, 'twice')")
   try("duplicate", con.bulk_insert_done, con)
end
