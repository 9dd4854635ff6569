"""Was it fair? The checks, by what they look at."""
