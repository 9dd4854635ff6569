"""The programs that are compared: a file for each, with functions that make a `Tool` of a job."""
