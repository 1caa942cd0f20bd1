"""What labels, rankings and hits tell: the arithmetic behind tables and figures."""
