-- An event loop of its own instead of sysbench's, which knows and counts its events.

ffi.cdef([[
bool sb_more_events(int);
void sb_event_start(int);
void sb_event_stop(int);
double sb_rand_uniform_double(void);
int usleep(unsigned int);
]])

function event() print("> never") end

function thread_run(thread_id)
   local turns = 0
   while ffi.C.sb_more_events(thread_id) do
      ffi.C.sb_event_start(thread_id)
      ffi.C.usleep(2000)
      turns = turns + 1
      ffi.C.sb_event_stop(thread_id)
   end
   local u = ffi.C.sb_rand_uniform_double()
   io.write("> turned " .. tostring(turns > 0 and u >= 0 and u < 1) .. "\n")
end
