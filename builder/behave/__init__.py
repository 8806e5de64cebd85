"""What actions make of a site: parts of pages that follow state, and the state itself."""
