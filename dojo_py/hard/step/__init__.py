"""A step: its islands, which solves are tried in which order, steps in parts, rebounds, and the best there is where all fails."""
