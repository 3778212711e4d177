"""What runs of the planning layer say: a page to read, and two runs held against each other."""
