"""What goes into a turn, is kept of a conversation and comes out again; `encode` and `decode` are their JSON."""
