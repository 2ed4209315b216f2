"""How fast: `python -m benchmarks` measures ratios against a ruler of the same run (never a timed test)."""
