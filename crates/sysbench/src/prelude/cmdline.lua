-- Finding the script, its options and its commands: `sysbench.cmdline`.
--
-- A script is a file, else a module, else one of those that come with the program.

local host = ...
local cmdline = sysbench.cmdline

local KINDS = {
   [0] = "null", "bool", "int", "size", "double", "string", "list", "file", "max"
}
for number, kind in pairs(KINDS) do
   cmdline["ARG_" .. string.upper(kind)] = number
end
cmdline.PARALLEL_COMMAND = true
cmdline.argv = host.argv
cmdline.command = host.command
cmdline.script_path = host.script

local function set_paths()
   local home = os.getenv("HOME") or ""
   local rocks = home .. "/.luarocks/"
   local folders = {
      "./?.lua", "./?/init.lua", "./src/lua/?.lua",
      rocks .. "share/lua/5.1/?.lua", rocks .. "share/lua/5.1/?/init.lua",
      rocks .. "share/lua/?.lua", rocks .. "share/lua/?/init.lua",
      "/usr/local/share/lua/5.1/?.lua", "/usr/share/lua/5.1/?.lua",
   }
   local libraries = {
      "./?.so", rocks .. "lib/lua/5.1/?.so", rocks .. "lib/lua/?.so",
      "/usr/local/lib/lua/5.1/?.so", "/usr/lib/lua/5.1/?.so",
   }
   -- The script's own folder, so that it finds its helpers from anywhere.
   local own = host.script and string.match(host.script, "^(.*/)[^/]*$")
   if own then
      table.insert(folders, own .. "?.lua")
      table.insert(libraries, own .. "?.so")
   end
   local function path(variable, default)
      local given = os.getenv(variable)
      if not given then
         return default
      end
      return (string.gsub(given, ";;", function() return ";" .. default .. ";" end))
   end
   package.path = path("LUA_PATH", table.concat(folders, ";"))
   package.cpath = path("LUA_CPATH", table.concat(libraries, ";"))
end

set_paths()

-- A first line that names an interpreter isn't Lua.
local function without_interpreter(source)
   return (string.gsub(source, "^#[^\n]*", ""))
end

-- Scripts that were handed over with the plan are found before those on disk.
local function handed_over(path)
   return host.files[(string.gsub(path, "^%./", ""))]
end

local load_from_disk = loadfile

function loadfile(path)
   local source = path and handed_over(path)
   if source then
      return loadstring(without_interpreter(source), "@" .. path)
   end
   return load_from_disk(path)
end

function dofile(path)
   return assert(loadfile(path))()
end

table.insert(package.loaders, 2, function(name)
   local path = string.gsub(name, "%.", "/")
   for _, found in ipairs({ path .. ".lua", path .. "/init.lua" }) do
      if handed_over(found) then
         return assert(loadfile(found))
      end
   end
end)

-- The scripts of the program that were asked for.
local bundled = {}

table.insert(package.loaders, function(name)
   local source = host.embedded(name)
   if not source then
      return "\n\tno script '" .. name .. "' comes with the program"
   end
   bundled[name] = true
   return assert(loadstring(without_interpreter(source), "@" .. name .. ".lua"))
end)

local function is_file(path)
   local file = io.open(path, "r")
   if not file then
      return false
   end
   -- A folder can be opened, but not read.
   local _, problem = file:read(1)
   file:close()
   return problem == nil
end

local function message(problem)
   return type(problem) == "string" and problem or "(not a string)"
end

local function run(chunk, problem)
   if not chunk then
      return true, problem
   end
   local is_well, failure = pcall(chunk)
   return true, not is_well and message(failure) or nil
end

-- Runs the script's body: whether there is one, and its error.
function host.load()
   if handed_over(host.script) or is_file(host.script) then
      return run(loadfile(host.script))
   end
   local is_well, problem = pcall(require, host.script)
   if is_well then
      return true, nil
   end
   problem = message(problem)
   local missing = "module '" .. host.script .. "' not found"
   if string.find(problem, missing, 1, true) then
      return false, nil
   end
   return true, problem
end

-- Whether the script is the program's own, with what it includes: anybody may put another in place.
function host.is_bundled()
   return bundled[host.script] and bundled.oltp_common or false
end

function host.load_text(text)
   return run(loadstring(without_interpreter(text), "=stdin"))
end

local GUESSED = { boolean = "bool", string = "string", number = "double", table = "list" }

-- What a C function would say that takes a text.
local function text(value)
   local kind = type(value)
   if kind ~= "string" and kind ~= "number" then
      error("cannot convert '" .. kind .. "' to 'const char *'")
   end
   return tostring(value)
end

local function default_text(default)
   if type(default) == "boolean" then
      return default and "on" or "off"
   elseif type(default) == "table" then
      return table.concat(default, ",")
   end
   return default ~= nil and text(default) or nil
end

local function declaration(name, option)
   if type(name) ~= "string" or type(option) ~= "table" then
      error("wrong table structure in sysbench.cmdline.options")
   end
   local description, default, kind = option[1], option[2], option[3]
   if description == nil then
      error("nil description for option " .. name)
   end
   return {
      name = name,
      description = text(description),
      default = default_text(default),
      kind = kind and KINDS[kind] or GUESSED[type(default)] or "string",
   }
end

-- The options of the script, sorted by name.
function host.declared()
   local declared = {}
   local options = cmdline.options or {}
   if type(options) ~= "table" then
      error("wrong type for sysbench.cmdline.options: " .. type(options))
   end
   for name, option in pairs(options) do
      table.insert(declared, declaration(name, option))
   end
   table.sort(declared, function(a, b) return a.name < b.name end)
   return declared
end

-- A value that the script's own check refuses: name and value, or nothing.
function host.refused()
   for name, option in pairs(cmdline.options or {}) do
      local validate = type(option) == "table" and option[4]
      local value = sysbench.opt[(string.gsub(name, "-", "_"))]
      if validate and not validate(value) then
         return name, tostring(value)
      end
   end
end

function host.set_options(options, is_legacy)
   sysbench.opt = options
   if not is_legacy then
      return
   end
   for name, value in pairs(options) do
      if type(_G[name]) ~= "function" then
         _G[name] = value
      end
   end
end

function host.print_options()
   host.print(host.option_lines(host.declared()) .. "\n")
end

function cmdline.print_test_options()
   host.print_options()
end

function cmdline.read_cmdline_options()
end

function cmdline.command_defined(name)
   return type(cmdline.commands) == "table" and cmdline.commands[name] ~= nil
end

function cmdline.command_parallel(name)
   local command = cmdline.commands[name]
   return type(command) == "table" and command[2] == cmdline.PARALLEL_COMMAND
end

function cmdline.call_command(name)
   local command = cmdline.commands[name]
   local run_command = type(command) == "table" and command[1] or command
   return run_command() ~= false
end

host.call_command = cmdline.call_command

-- Nothing if the script has no such command, else whether it is for all threads.
function host.command(name)
   if cmdline.command_defined(name) then
      return cmdline.command_parallel(name)
   end
end
