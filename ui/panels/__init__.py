"""What the pages are made of: each panel takes results and shows them."""
