"""From a received Turn to its commit (spec: host.md section 3; README, the life of a turn)."""
