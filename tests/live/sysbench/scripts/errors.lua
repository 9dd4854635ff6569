-- Errors of the server in events: which restart an event, which end the run, what hooks see.

sysbench.cmdline.options = {
   mode = {"what goes wrong", "ignored"},
}

local function say(...)
   local values = {...}
   for i = 1, select("#", ...) do values[i] = tostring(values[i]) end
   print("> " .. table.concat(values, " "))
end
local function shown(err)
   return err.errcode, err.sql_errno, err.sql_state, type(err.sql_errmsg), err.query,
      tostring(err.connection)
end

function sysbench.hooks.before_restart_event(err)
   say("restart", shown(err))
end

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE e (id INT PRIMARY KEY)")
   con:query("INSERT INTO e VALUES (1)")
end

function thread_init()
   if sysbench.opt.mode == "hook" then
      sysbench.hooks.sql_error_ignorable = function(err)
         say("ignorable?", shown(err))
         return err.sql_errno == 1062
      end
   end
   con = sysbench.sql.driver():connect()
   insert = con:prepare("INSERT INTO e VALUES (?)")
   id = insert:bind_create(sysbench.sql.type.INT)
   insert:bind_param(id)
end

local tried = 0
-- Each of these fails once, and is called again by the event that is restarted.
local modes = {
   ignored = function() con:query("INSERT INTO e VALUES (1)") end,
   hook = function() con:query("INSERT INTO e VALUES (1)") end,
   statement = function() id:set(1) insert:execute() end,
   fatal = function() con:query("INSERT INTO e VALUES (1)") end,
   thrown = function() error({errcode = sysbench.error.RESTART_EVENT, query = "mine"}) end,
   lua = function() error("mine alone") end,
   object = function() error({}) end,
   none = function() local x = nil; return x.y end,
   caught = function()
      local ok, err = pcall(con.query, con, "INSERT INTO e VALUES (1)")
      say("caught", ok, type(err), type(err) == "table" and err.sql_errno)
      say("fields", con.sql_errno, ffi.string(con.sql_state), tonumber(con.error))
   end,
   thread_done = function() end,
}

function event()
   tried = tried + 1
   say("event", tried)
   if tried == 1 then modes[sysbench.opt.mode]() end
   say("succeeds", con:query_row("SELECT COUNT(*) FROM e"))
end

function thread_done()
   say("thread_done")
   if sysbench.opt.mode == "thread_done" then error("too late") end
end

function done() say("done") end
