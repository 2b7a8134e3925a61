"""Campaigns: a matrix of programs, libraries, numbers of ranks, settings and inputs, run in turn and compared.

reading     a TOML file as a Plan                     plan       the cells of the matrix
programs    what a cell starts, built where needed    execution  goes through the runs, with `leadline.runs`
journal     what has finished, on disk                results    medians, ratios, rankings, scaling, as plain data
words       sentences that the intervals support      terminal   the table; the page is in report/page
"""
