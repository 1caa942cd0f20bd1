"""What the page “Evaluation” shows, a module a view."""
