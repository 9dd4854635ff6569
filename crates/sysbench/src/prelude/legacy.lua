-- The interface of sysbench 0.5: functions `db_*` on one connection a thread, and globals.

local host = ...
local db = sysbench.db

thread_id = sysbench.tid
test = host.script
mysql_table_engine = "innodb"
myisam_max_rows = 1000000

db.DB_ERROR_NONE, db.DB_ERROR_RESTART_TRANSACTION, db.DB_ERROR_FAILED = 0, 1, 2

local con

local function connected()
   if not con then
      db.connect()
   end
   return con
end

-- Runs a call of the connection; an error other than a restart is the name of the function.
local function try(name, call, ...)
   local is_well, value = pcall(call, ...)
   if is_well then
      return value
   end
   if type(value) == "table" then
      error({ errcode = db.DB_ERROR_RESTART_TRANSACTION }, 0)
   end
   error(name .. "() failed", 3)
end

function db.connect()
   local drv = sysbench.sql.driver()
   db_driver = drv:name()
   con = drv:connect()
end

function db.disconnect()
   if con then
      con:disconnect()
   end
   con = nil
end

function db.query(text)
   local c = connected()
   try("db_query", c.query, c, text)
end

function db.bulk_insert_init(prefix)
   return connected():bulk_insert_init(prefix)
end

function db.bulk_insert_next(row)
   return connected():bulk_insert_next(row)
end

function db.bulk_insert_done()
   return connected():bulk_insert_done()
end

function db.prepare(text)
   local c = connected()
   return { statement = try("db_prepare", c.prepare, c, text) }
end

-- The values are read from the table at each execution.
function db.bind_param(stmt, values)
   local T = sysbench.sql.type
   stmt.values, stmt.params = values, {}
   for i, value in ipairs(values) do
      if type(value) == "number" then
         stmt.params[i] = stmt.statement:bind_create(T.BIGINT)
      elseif type(value) == "string" then
         stmt.params[i] = stmt.statement:bind_create(T.VARCHAR, math.max(#value, 1024))
      else
         error("Unsupported argument type: " .. type(value), 2)
      end
   end
   return stmt.statement:bind_param(unpack(stmt.params))
end

function db.bind_result()
end

function db.execute(stmt)
   for i, param in ipairs(stmt.params or {}) do
      param:set(stmt.values[i])
   end
   return try("db_execute", stmt.statement.execute, stmt.statement)
end

function db.store_results()
end

function db.free_results(rs)
   if rs ~= nil then
      rs:free()
   end
end

function db.close(stmt)
   return stmt.statement:close()
end

for name, value in pairs(db) do
   _G[type(value) == "function" and "db_" .. name or name] = value
end

local rand = sysbench.rand
sb_rand = rand.default
sb_rand_uniform = rand.uniform
sb_rand_gaussian = rand.gaussian
sb_rand_special = rand.special
sb_rand_str = rand.string

function sb_rnd()
   return rand.uniform(0, 4294967294)
end

function sb_rand_uniq(a, b)
   a, b = a or 0, b or 4294967295
   local value
   repeat
      value = rand.unique()
   until value >= a and value <= b
   return value
end
