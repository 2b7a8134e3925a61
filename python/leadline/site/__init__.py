"""What a site's administrator asks of many runs: where the machine's time is lost. A run is read once.

discovery.py    the runs beneath some folders
account.py      what one run adds to the answer, from its report
catalogue.py    these accounts in a file of SQLite's
reading.py      brings a catalogue up to date
ranking.py      sums by program, user, library or finding
show.py         the answer on a terminal and as JSON
retention.py    which old runs to remove, and their removal
recording.py    what switches the recorder on for every job
"""
