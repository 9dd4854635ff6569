-- The reports that a script can choose for its hooks.

local host = ...

-- Counts of a reading per second.
local function rates(stat)
   local seconds = stat.time_interval
   local function per_second(count)
      return seconds > 0 and count / seconds or 0
   end
   return {
      tps = per_second(stat.events),
      qps = per_second(stat.reads + stat.writes + stat.other),
      reads = per_second(stat.reads),
      writes = per_second(stat.writes),
      other = per_second(stat.other),
      errors = per_second(stat.errors),
      reconnects = per_second(stat.reconnects),
      latency_ms = stat.latency_pct * 1000,
   }
end

function sysbench.report_default(stat)
   local r = rates(stat)
   host.print(string.format(
      "[ %.0fs ] thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) " ..
      "lat (ms,%u%%): %4.2f err/s %4.2f reconn/s: %4.2f\n",
      stat.time_total, stat.threads_running, r.tps, r.qps, r.reads, r.writes, r.other,
      host.percentile, r.latency_ms, r.errors, r.reconnects))
end

function sysbench.report_csv(stat)
   local r = rates(stat)
   host.print(string.format("%.0f,%u,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f\n",
      stat.time_total, stat.threads_running, r.tps, r.qps, r.reads, r.writes, r.other,
      r.latency_ms, r.errors, r.reconnects))
end

local is_begun = false

function sysbench.report_json(stat)
   host.print(is_begun and ",\n" or "[\n")
   is_begun = true
   local r = rates(stat)
   host.print(string.format([[
  {
    "time": %4.0f,
    "threads": %u,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f,
    "errors": %4.2f,
    "reconnects": %4.2f
  }]],
      stat.time_total, stat.threads_running, r.tps, r.qps, r.reads, r.writes, r.other,
      r.latency_ms, r.errors, r.reconnects))
end

function host.finish_reports()
   if is_begun then
      host.print("\n]\n")
   end
   is_begun = false
end
