"""A reading for print: the paper's SVG and what is said around it, on the pages of a PDF."""
