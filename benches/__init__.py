"""Dyno's own speed against its peers and the floor. Not installed; `make bench` runs it."""
