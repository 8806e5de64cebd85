"""How close two looks at a page are. Pure: bytes and texts in, numbers between 0 and 1 out."""
