"""The torch that programs import: its names, how large results will be, what stands in for devices and files."""
