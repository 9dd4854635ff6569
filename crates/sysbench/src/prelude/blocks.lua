-- What may wait for something else than the server. Under the load engine, scripts that do none of
-- this share a thread; see `Shared::blocks`.

local host = ...
if not host.is_driven then
   return
end

local function note(where, name)
   local original = where[name]
   where[name] = function(...)
      host.note_blocks()
      return original(...)
   end
end

note(os, "execute")
note(io, "popen")
note(io, "read")
note(io, "lines")
note(ffi, "cdef")
note(ffi, "load")
note(package, "loadlib")

-- Modules in C: the loaders after those of scripts here and on disk.
for place = 4, 5 do
   local find = package.loaders[place]
   package.loaders[place] = function(name)
      local found = find(name)
      if type(found) == "function" then
         host.note_blocks()
      end
      return found
   end
end
