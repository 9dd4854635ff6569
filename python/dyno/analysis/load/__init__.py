"""What only loads have: figures, latencies, stability, scaling, the generator."""
