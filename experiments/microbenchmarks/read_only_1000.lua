-- The transaction of oltp_read_only, with long ranges.

require("oltp_read_only")

sysbench.cmdline.options.range_size = { "Range size for range SELECT queries", 1000 }
