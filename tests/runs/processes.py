"""What became of processes that others started."""

from pathlib import Path


def is_over(pid: int) -> bool:
    """A process that nobody waits for yet is over, too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True
