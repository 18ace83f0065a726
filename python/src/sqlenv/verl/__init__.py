"""Connects sqlenv to verl: an agent loop, a tool, a reward function, data sets. The first two alone import verl."""
