"""From pages of one kind to what they share and what differs: trees, clusters, templates. Pure, and no model."""
