-- The API of sysbench 0.5: one connection that is implied, globals for options.

local function say(...)
   local values = {...}
   for i = 1, select("#", ...) do values[i] = tostring(values[i]) end
   print("> " .. table.concat(values, " "))
end
local function try(what, f, ...)
   local ok, err = pcall(f, ...)
   if type(err) == "string" then err = err:gsub("^.-:%d+: ", "") end
   say(what, ok, type(err) == "table" and "table " .. tostring(err.errcode) or err)
end

function prepare()
   say("unconnected driver", db_driver)
   db_connect()
   say("driver", db_driver)
   say("returns", select("#", db_query("CREATE TABLE l (id INT PRIMARY KEY, v VARCHAR(20))")))
   db_bulk_insert_init("INSERT INTO l VALUES")
   for i = 1, 5 do db_bulk_insert_next("(" .. i .. ", 'v" .. i .. "')") end
   db_bulk_insert_done()
   db_disconnect()
end

function thread_init(thread_id)
   say("globals", thread_id, _G.thread_id, test, type(pathtest))
   say("constants", DB_ERROR_NONE, DB_ERROR_RESTART_TRANSACTION, DB_ERROR_FAILED)
   say("options", mysql_table_engine, myisam_max_rows, oltp_table_size, my_option, num_threads)
   say("types", type(oltp_table_size), type(num_threads))
   -- The name is that of a function, so the option doesn't hide it.
   say("function", type(sb_rand_uniform))
end

local function statements()
   local select_one = db_prepare("SELECT v FROM l WHERE id = ?")
   local params = {1}
   db_bind_param(select_one, params)
   for _, id in ipairs({1, 3, 9}) do
      params[1] = id
      local rs = db_execute(select_one)
      db_store_results(rs)
      say("found", rs ~= nil)
      db_free_results(rs)
   end
   db_close(select_one)
   local change = db_prepare("UPDATE l SET v = ? WHERE id = ?")
   local values = {"a string of 20 bytes", 2}
   db_bind_param(change, values)
   db_execute(change)
   values[1], values[2] = "short", 3
   db_execute(change)
   db_close(change)
end

function event(thread_id)
   say("event", thread_id)
   statements()
   try("duplicate", db_query, "INSERT INTO l VALUES (1, 'twice')")
   try("syntax", db_query, "SELECT nonsense FROM")
   say("same names", sysbench.db.query == db_query or type(sysbench.db.query))
   local con = sysbench.sql.driver():connect()
   for id = 1, 5 do say("row", con:query_row("SELECT v FROM l WHERE id = " .. id)) end
   return true
end
