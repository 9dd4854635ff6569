"""How large the tables are, and how they are kept and written."""
