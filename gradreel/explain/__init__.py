"""Trace -> words: a sentence a step; a diagnosis with cause and mend an error."""
