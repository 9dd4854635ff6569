"""The run folder: paths, schema versions, atomic writing, reading. The only place where the measure
and the explain side meet. Knows what a trial holds, not what it means.
"""
