"""Pages: one file each, that opens without a network and asks for nothing."""
