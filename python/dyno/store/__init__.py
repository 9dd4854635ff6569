"""The run folder: paths, schema versions, atomic writes, reads. The only place where measuring and
explaining meet. It knows what a trial holds, not what it means.
"""
