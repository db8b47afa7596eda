"""What the pages say, as data: lessons, comparisons, the gallery of errors, operators, and what is told of the project.

The words are in the Markdown files beside these modules, a folder for each kind; a module says how its kind is read.
"""
