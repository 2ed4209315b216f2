"""An app of a site, with something for its agents."""
