-- Declares an option of each type, and says what came of it.

local C = sysbench.cmdline

C.options = {
   bare = {"no default"},
   flag = {"a boolean", true},
   off = {"another", false},
   number = {"a number", 1.5},
   word = {"a string", "abc"},
   ["with-dash"] = {"a name with a dash", 7},
   int = {"an integer", 3, C.ARG_INT},
   size = {"a size", "2K", C.ARG_SIZE},
   list = {"a list", {"a", "b"}},
   typed_bool = {"typed", nil, C.ARG_BOOL},
   typed_double = {"typed", nil, C.ARG_DOUBLE},
   typed_string = {"typed", nil, C.ARG_STRING},
   typed_list = {"typed", nil, C.ARG_LIST},
   typed_int = {"typed", nil, C.ARG_INT},
}

local names = {"bare", "flag", "off", "number", "word", "with_dash", "int", "size", "list",
   "typed_bool", "typed_double", "typed_string", "typed_list", "typed_int",
   "threads", "events", "time", "rand_seed", "rand_type", "percentile", "histogram", "db_driver",
   "mysql_user", "mysql_port", "mysql_ignore_errors", "report_interval", "rate", "validate",
   "verbosity", "report_checkpoints", "db_ps_mode", "config_file"}

local function shown(value)
   if type(value) ~= "table" then return type(value) .. " " .. tostring(value) end
   return "table {" .. table.concat(value, ",") .. "}"
end

function prepare()
   for _, name in ipairs(names) do print("> " .. name .. " = " .. shown(sysbench.opt[name])) end
   sysbench.opt.word = "written"
   print("> word = " .. sysbench.opt.word)
end

function help() C.print_test_options() end
