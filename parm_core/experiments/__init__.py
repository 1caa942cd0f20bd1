"""Systems over all the labelled queries of a collection: runs, heatmaps, comparisons, sweeps."""
