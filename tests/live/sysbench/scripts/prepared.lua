-- Prepared statements: parameters of each type, binding, executing, closing.

local T = sysbench.sql.type
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

local function kept(con, id)
   say("row " .. id, con:query_row("SELECT i, s FROM p WHERE id = " .. id))
end

local function set(con, insert, id, i, s)
   id:set(1)
   for n, value in ipairs({5, -7, 3.9, -3.9, 4294967296, 9007199254740992}) do
      id:set(n)
      i:set(value)
      s:set("v" .. n)
      insert:execute()
      kept(con, n)
   end
   id:set(10) i:set(nil) s:set(nil) insert:execute() kept(con, 10)
   id:set(11) i:set(0) s:set("longer than eight") insert:execute() kept(con, 11)
   id:set(12) s:set("") insert:execute() kept(con, 12)
   id:set(14) s:set_rand_str("@#-@#") insert:execute()
   say("random", con:query_row("SELECT s REGEXP '^[a-z][0-9]-[a-z][0-9]$' FROM p WHERE id = 14"))
   try("string for a number", i.set, i, "5")
end

local function bad(con)
   say("DATE", pcall(function()
      con:prepare("SELECT ?"):bind_create(T.DATE)
   end))
   local two = con:prepare("SELECT ?, ?")
   local a, b = two:bind_create(T.INT), two:bind_create(T.BIGINT)
   say("nothing bound", two:bind_param())
   say("too few", two:bind_param(a))
   say("bound", two:bind_param(a, b))
   a:set(1) b:set(2)
   local rs = two:execute()
   say("rows", rs.nrows, tostring(two), tostring(a))
   two:close()
   if not sysbench.opt.mysql_dry_run then
      try("wrong text", con.prepare, con, "SELECT nonsense FROM")
   end
end

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE p (id INT, i BIGINT, s VARCHAR(20))")
   local insert = con:prepare("INSERT INTO p VALUES (?, ?, ?)")
   local id, i = insert:bind_create(T.INT), insert:bind_create(T.BIGINT)
   local s = insert:bind_create(T.VARCHAR, 8)
   say("bind", insert:bind_param(id, i, s))
   set(con, insert, id, i, s)

   local count = con:prepare("SELECT COUNT(*) FROM p")
   say("count", count:execute().nrows)
   local all = con:prepare("SELECT id FROM p WHERE id <= ?")
   local limit = all:bind_create(T.SMALLINT)
   all:bind_param(limit)
   for _, value in ipairs({0, 3, 100}) do
      limit:set(value)
      say("up to " .. value, all:execute().nrows)
   end
   local change = con:prepare("UPDATE p SET i = i + 1 WHERE id = ?")
   local which = change:bind_create(T.TINYINT)
   change:bind_param(which)
   which:set(1)
   say("no result", change:execute() == nil)
   kept(con, 1)
   for _, text in ipairs({"BEGIN", "COMMIT"}) do
      local statement = con:prepare(text)
      say(text, statement:execute() == nil)
      statement:close()
   end
   bad(con)
   all:close()
   insert:close()
   say("end")
end
