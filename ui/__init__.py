"""What the app is made of, besides its pages."""
