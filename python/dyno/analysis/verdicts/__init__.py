"""From samples to comparisons, claims, verdicts and the answer in words."""
