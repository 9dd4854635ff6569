-- Queries as text: results, rows, values, errors, connections.

local function say(...)
   local values = {...}
   for i = 1, select("#", ...) do values[i] = tostring(values[i]) end
   print("> " .. table.concat(values, " "))
end
-- A failure as a script sees it, without the place in a file.
local function try(what, f, ...)
   local ok, err = pcall(f, ...)
   if type(err) == "string" then err = err:gsub("^.-:%d+: ", "") end
   say(what, ok, not ok and type(err) == "table" and "table" or err)
   return err
end

local function rows(con)
   local rs = con:query("SELECT id, v, d FROM t ORDER BY id")
   say("result", rs.nrows, rs.nfields)
   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      say("row", #row >= 1, row[1], row[2], row[3], type(row[1]))
   end
   say("past the end", rs:fetch_row())
   say("free", (rs:free()))
   try("free twice", rs.free, rs)
   say("row of", con:query_row("SELECT id, v, d FROM t ORDER BY id"))
   say("row with NULL", con:query_row("SELECT id, v, d FROM t WHERE id = 2"))
   say("no row", select("#", con:query_row("SELECT id FROM t WHERE id = 9")),
       (con:query_row("SELECT id FROM t WHERE id = 9")))
   say("no result", (con:query_row("SET @a = 1")))
   say("multiplied", con:query_row("SELECT COUNT(*) FROM t") * 2)
   local bytes = con:query_row("SELECT UNHEX('00FF41')")
   say("bytes", #bytes, bytes:byte(1, -1))
   say("empty string", "[" .. con:query_row("SELECT ''") .. "]")
end

local function errors(con)
   try("syntax", con.query, con, "SELECT nonsense FROM")
   -- The texts may be pointers to those of the client library.
   say("fields", con.sql_errno, ffi.string(con.sql_state), #ffi.string(con.sql_errmsg) > 10)
   say("error", tonumber(con.error) == sysbench.sql.error.FATAL)
   try("no table", con.query_row, con, "SELECT * FROM nowhere")
   say("fields", con.sql_errno, ffi.string(con.sql_state))
   say("works on", con:query_row("SELECT 1"))
   say("fields", con.sql_errno)
end

local function connections(drv, con)
   local other = drv:connect()
   say("other", tostring(other):match("^<.->"), other ~= con)
   local ids = {con:query_row("SELECT CONNECTION_ID()"), other:query_row("SELECT CONNECTION_ID()")}
   say("two", ids[1] ~= ids[2])
   say("disconnect", other:disconnect())
   try("closed", other.query, other, "SELECT 1")
   local again = sysbench.sql.driver("mysql"):connect()
   say("again", again:query_row("SELECT DATABASE()") == con:query_row("SELECT DATABASE()"))
   try("unknown driver", sysbench.sql.driver, "nix")
end

function prepare()
   local drv = sysbench.sql.driver()
   say("driver", drv:name(), tostring(drv))
   local con = drv:connect()
   say("connection", tostring(con))
   local nothing = con:query("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), d DOUBLE)")
   say("ddl", nothing == nil)
   con:query("INSERT INTO t VALUES (1, 'one', 1.5), (2, NULL, NULL), (3, '', -2)")
   local rs = con:query("SELECT 1 UNION SELECT 2")
   say("select", tostring(rs), rs ~= nil, not not rs)
   rows(con)
   errors(con)
   connections(drv, con)
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   con:query("DROP TABLE t")
   con:query("DROP TABLE t")
   say("never")
end

function event()
   con = con or sysbench.sql.driver():connect()
   -- A read, a write, an update of nothing and two that return nothing: r 1, w 1, o 3.
   con:query("SELECT id FROM t WHERE id = 1")
   con:query("UPDATE t SET d = d + 1 WHERE id = 1")
   con:query("UPDATE t SET d = d + 1 WHERE id = 77")
   con:query("BEGIN")
   con:query("COMMIT")
end
