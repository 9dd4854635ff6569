"""Maintenance: how long tasks took, and what they did to the load beside them."""
