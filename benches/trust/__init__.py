"""Whether verdicts can be trusted, tried on real servers: equal arms, and effects put there."""
