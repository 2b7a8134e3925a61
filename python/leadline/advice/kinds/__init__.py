"""The kinds of proposals, a file each."""
