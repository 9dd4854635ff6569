"""The three forms of a report: HTML, Markdown and terminal."""
