"""The wire contract, generated from `proto/sqlenv/v1` by `scripts/generate_stubs.py`."""
