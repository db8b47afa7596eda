"""What programs handle: values of our own, objects of their classes, and what a name means on each."""
