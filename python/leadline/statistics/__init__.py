"""Statistics of times, each defined once. Nothing here knows where the numbers come from.

The package imports nothing by itself: a report needs only the median, and pays for no more.
"""
