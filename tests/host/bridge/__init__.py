"""The WhatsApp bridge of the examples."""
