"""Forces of a medium on moving bodies, by box or ellipsoid, with derivatives: for both modes."""
