"""What every simulation returns: states, steps, contacts, trajectories, linearisations, statuses."""
