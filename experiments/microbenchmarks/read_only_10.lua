-- The transaction of oltp_read_only, with short ranges.

require("oltp_read_only")

sysbench.cmdline.options.range_size = { "Range size for range SELECT queries", 10 }
