"""The promises of falai, one test each. `vectors/` holds conversations and facts that the engine must reproduce."""
