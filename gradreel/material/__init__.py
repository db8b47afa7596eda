"""What the pages say, as data: lessons, comparisons, the museum of errors, operators, and what is told of the house.

The words are in the Markdown files beside these modules, a folder for each kind; a module says how its kind is read.
"""
