"""The demo site as a site for customers."""
