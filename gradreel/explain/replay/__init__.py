"""The World: a fold over events that knows, at each moment, what lives, who holds it, and where it came from."""
