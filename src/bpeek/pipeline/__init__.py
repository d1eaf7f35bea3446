"""The pipeline of a ``tokenizer.json``: normalize, cut, merge, post-process, decode.

``run.Pipeline`` runs all of it, exactly as ``tokenizers`` 0.23.3 does; its parts (the normalizers, the
added-token finder, the decoders) can be used by themselves. Nothing is imported here: a ``.tiktoken``
file needs next to nothing of it.
"""
