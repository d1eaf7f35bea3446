"""bpeek beside its peers, on any machine: ``python -m bench``. What is measured and how: ``docs/benchmarks.md``."""
