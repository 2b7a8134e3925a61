"""The rules by which findings are found, a file each."""
