"""Where ranks should run, from who exchanges with whom and from the hardware of their hosts."""
