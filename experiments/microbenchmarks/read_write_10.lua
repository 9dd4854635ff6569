-- The transaction of oltp_read_write, with short ranges.

require("oltp_read_write")

sysbench.cmdline.options.range_size = { "Range size for range SELECT queries", 10 }
