"""Arguments and messages; thin. Nobody imports it. Data goes to stdout, messages to stderr."""
