"""The numpy that programs import: its names, arrays and random streams, what they are charged, and shared memory."""
