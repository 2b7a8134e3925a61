"""Figures in words, where more than one part of Leadline says them: findings, report, tables, compare.

`figures/` gives facts, and these modules the words for them. Numbers and units are `text/`'s.
"""
