"""The torch that programs import: its names, and what stands in for devices, files and addresses."""
