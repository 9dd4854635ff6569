-- Databases: `sysbench.sql`, with drivers, connections, results, statements and parameters.
--
-- Connections and results are C data, as in sysbench: scripts look at their type, and print tables
-- with all that is in them. The result of a statement without rows is a NULL of C, because scripts
-- tell it from nil: it equals nil and yet is true.

local host = ...
local C, sql = host.C, sysbench.sql
-- A script of old finds the option --debug under the name of this library.
local getinfo = debug.getinfo

sql.type = {
   NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6, TIME = 7,
   DATE = 8, DATETIME = 9, TIMESTAMP = 10, CHAR = 11, VARCHAR = 12,
}
sql.error = { NONE = 0, IGNORABLE = 1, FATAL = 2 }

-- What Rust answers; see `Reply`.
local ROWS, PLAIN, IGNORABLE, MISUSE = 1, 0, -1, -3

local function class(name)
   local methods = {}
   local meta = { __index = methods, __tostring = function() return "<" .. name .. ">" end }
   return methods, meta
end

local driver, driver_meta = class("sql_driver")
local connection, connection_meta = class("sql_connection")
local result, result_meta = class("sql_result")
local statement, statement_meta = class("sql_statement")

ffi.cdef [[
typedef struct { int id; int error; int sql_errno; } dyno_connection;
typedef struct { int id; int nfields; double nrows; bool is_free; } dyno_result;
typedef struct { int nothing; } dyno_no_result;
]]

-- What was wrong last with a connection, by its number.
local failures = {}
-- The result of a connection, by its number, as long as a script has it; and whose it is, so that a
-- connection stays open as long as its result is there.
local results = setmetatable({}, { __mode = "v" })
local owners = setmetatable({}, { __mode = "k" })

function connection_meta.__index(con, name)
   local method = connection[name]
   if method then
      return method
   end
   local failure = failures[con.id]
   return failure and failure[name]
end

-- Closes the connection with the last one who knows of it.
function connection_meta.__gc(con)
   failures[con.id] = nil
   host.forget(con.id)
end

local new_connection = ffi.metatype("dyno_connection", connection_meta)
local new_result = ffi.metatype("dyno_result", result_meta)

local function free_nothing()
   host.say(host.ALERT, "attempt to free an invalid result set")
   error("db_free_results() failed", 2)
end
ffi.metatype("dyno_no_result", {
   __index = { nrows = 0, nfields = 0, fetch_row = function() end, free = free_nothing },
   __tostring = function() return "<sql_result>" end,
})
local NO_RESULT = ffi.cast("dyno_no_result *", nil)

local NO_PGSQL = "\nhint: Dyno speaks MySQL's protocol only; for PostgreSQL use the original sysbench"

-- Drivers ----------------------------------------------------------------------------------------

function sql.driver(name)
   name = name or host.driver
   if not host.use_driver(name) then
      local hint = name == "pgsql" and NO_PGSQL or ""
      host.say(host.FATAL, "invalid database driver name: '" .. tostring(name) .. "'" .. hint)
      error("failed to initialize the DB driver", 2)
   end
   return setmetatable({ driver_name = name }, driver_meta)
end

function driver:name()
   return self.driver_name
end

function driver:connect()
   local id = host.connect()
   if not id then
      error("connection creation failed", 2)
   end
   return new_connection(id, sql.error.NONE, 0)
end

-- Connections ------------------------------------------------------------------------------------

local function note_failure(con)
   con.error = sql.error.FATAL
   local code, state, message = host.failure(con.id)
   con.sql_errno = code
   failures[con.id] = { sql_state = state, sql_errmsg = message }
end

-- Raises with the place in the script, though C called from there: `pcall(con.query, con, text)`.
local function misused()
   for level = 3, 200 do
      local place = getinfo(level, "Sl")
      if not place then
         break
      elseif place.currentline > 0 and not string.find(place.source, "^sysbench%.") then
         error(place.short_src .. ":" .. place.currentline .. ": SQL API error", 0)
      end
   end
   error("SQL API error", 0)
end

-- Raises what a failed query means: a table that restarts the event, or a message.
local function fail(con, reply, query, level)
   if reply == MISUSE then
      error("SQL API error", level + 1)
   end
   note_failure(con)
   local code, state, message = con.sql_errno, con.sql_state, con.sql_errmsg
   local problem = {
      connection = con, query = query, sql_errno = code, sql_state = state, sql_errmsg = message,
   }
   local hook = sysbench.hooks.sql_error_ignorable
   if reply == IGNORABLE or (hook and hook(problem)) then
      con.error = sql.error.IGNORABLE
      problem.errcode = sysbench.error.RESTART_EVENT
      error(problem, 0)
   end
   error(string.format("SQL error, errno = %d, state = '%s': %s", code, state, message), level + 1)
end

local function note_success(con)
   con.error, con.sql_errno = sql.error.NONE, 0
end

local function show_result(con)
   note_success(con)
   local id = con.id
   local rs = results[id]
   if not rs then
      rs = new_result(id)
      results[id], owners[rs] = rs, con
   end
   C.show(id, rs)
   return rs
end

function connection:query(text)
   local reply = C.query(self.id, text, #text)
   if reply == ROWS then
      return show_result(self)
   elseif reply == PLAIN then
      note_success(self)
      return NO_RESULT
   elseif reply == MISUSE then
      misused()
   end
   fail(self, reply, text, 2)
end

function connection:query_row(text)
   local reply = C.query(self.id, text, #text)
   if reply < 0 then
      fail(self, reply, text, 2)
   elseif reply == PLAIN then
      return nil
   end
   local rs = show_result(self)
   local row = rs:fetch_row()
   if not row then
      return nil
   end
   return unpack(row, 1, rs.nfields)
end

function connection:more_results()
   return host.has_more(self.id)
end

function connection:next_result()
   if host.next_set(self.id) then
      return show_result(self)
   end
   return NO_RESULT
end

function connection:bulk_insert_init(prefix)
   host.bulk_init(self.id, prefix)
   return true, "db_bulk_insert_init() failed"
end

function connection:bulk_insert_next(row)
   if C.bulk_next(self.id, row, #row) == 0 then
      note_failure(self)
      error("db_bulk_insert_next() failed", 2)
   end
   return true, "db_bulk_insert_next() failed"
end

function connection:bulk_insert_done()
   if not host.bulk_done(self.id) then
      note_failure(self)
      error("db_bulk_insert_done() failed", 2)
   end
   return true, "db_bulk_insert_done() failed"
end

function connection:prepare(text)
   local id, params = host.prepare(self.id, text)
   if not id then
      note_failure(self)
      error("SQL API error", 2)
   end
   return setmetatable({ con = self, id = id, params = params, count = 0 }, statement_meta)
end

function connection:disconnect()
   host.disconnect(self.id)
   return true
end

function connection:reconnect()
   host.reconnect(self.id)
   return true
end

function connection:check_error(rs, query)
   if self.error ~= sql.error.NONE then
      fail(self, self.error == sql.error.IGNORABLE and IGNORABLE or -2, query, 2)
   end
   return rs
end

-- Results ----------------------------------------------------------------------------------------

function result:fetch_row()
   local count = self.nfields
   if count == 0 then
      host.say(host.ALERT, "attempt to fetch row from an empty result set")
      return nil
   end
   local cells = C.next_row(self.id)
   if cells == nil then
      return nil
   end
   local row = {}
   for i = 1, count do
      local cell = cells[i - 1]
      if cell.len >= 0 then
         row[i] = ffi.string(cell.text, cell.len)
      end
   end
   return row
end

function result:free()
   if self.is_free then
      free_nothing()
   end
   self.is_free = true
   return true, "db_free_results() failed"
end

-- Statements -------------------------------------------------------------------------------------

-- Kinds of parameters; see `Param` in Rust.
local NULL, INTEGER, REAL, TEXT = 0, 1, 2, 3

local function parameter(methods)
   return { __index = methods, __tostring = function() return "<sql_param>" end }
end

local int_meta = parameter({
   set = function(self, value)
      local slot = self.slot
      if value == nil then
         slot.kind = NULL
      else
         slot.integer = value
         slot.kind = INTEGER
      end
   end,
})

local real_meta = parameter({
   set = function(self, value)
      local slot = self.slot
      if value == nil then
         slot.kind = NULL
      else
         slot.real = value
         slot.kind = REAL
      end
   end,
})

local text_meta = parameter({
   set = function(self, value)
      local slot = self.slot
      if value == nil then
         slot.kind = NULL
         return
      end
      local len = math.min(#value, slot.room)
      ffi.copy(self.text, value, len)
      slot.len = len
      slot.kind = TEXT
   end,
   set_rand_str = function(self, template)
      local slot = self.slot
      local len = math.min(#template, slot.room)
      C.rand_fill(template, len, self.text)
      slot.len = len
      slot.kind = TEXT
   end,
})

function statement:bind_create(kind, max_len)
   local T = sql.type
   local slot = ffi.new("dyno_param")
   if kind >= T.TINYINT and kind <= T.BIGINT then
      return setmetatable({ slot = slot }, int_meta)
   elseif kind == T.FLOAT or kind == T.DOUBLE then
      return setmetatable({ slot = slot }, real_meta)
   elseif kind == T.CHAR or kind == T.VARCHAR then
      local text = ffi.new("char[?]", max_len + 1)
      slot.text, slot.room = text, max_len
      return setmetatable({ slot = slot, text = text }, text_meta)
   end
   error("Unsupported argument type: " .. tostring(kind), 2)
end

function statement:bind_param(...)
   local count = select("#", ...)
   if count == 0 then
      return nil
   end
   if count ~= self.params then
      host.say(host.FATAL, "Wrong number of parameters to mysql_stmt_bind_param")
      return 1
   end
   -- The statement holds on to its parameters, to which the array only points.
   self.bound = { ... }
   self.array = ffi.new("const dyno_param *[?]", count)
   for i = 1, count do
      self.array[i - 1] = self.bound[i].slot
   end
   self.count = count
   return 0
end

function statement:execute()
   local con = self.con
   local reply = C.execute(con.id, self.id, self.array, self.count)
   if reply == PLAIN then
      return NO_RESULT
   elseif reply == ROWS then
      return show_result(con)
   elseif reply == MISUSE then
      misused()
   end
   fail(con, reply, "<prepared statement>", 2)
end

function statement:next_result()
   return NO_RESULT
end

function statement:close()
   host.close_statement(self.con.id, self.id)
   return 0
end
