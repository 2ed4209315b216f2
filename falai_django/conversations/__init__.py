"""What people and programs do with a conversation beside taking turns (spec: host.md sections 3 and 5)."""
