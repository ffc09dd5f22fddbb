"""Which contacts take part in a step: pairs that are near, what they touch with, what was missing at the end, what is left out."""
