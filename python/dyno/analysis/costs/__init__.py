"""What an op cost on the server: counters, CPU, I/O, the engine above its floor."""
