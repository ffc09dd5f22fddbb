"""Contact candidates of the hard mode: which points of which shapes may touch what, their gaps and derivatives."""
