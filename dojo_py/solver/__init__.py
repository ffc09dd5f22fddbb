"""The interior-point method's tools: cones, block LDU on a graph, options, status. This room knows no physics."""
