"""Physical parameters of a hard-mode World by name: read them, write them, differentiate the step by them."""
