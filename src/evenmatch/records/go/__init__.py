"""Records of Go: SGF files read and written, ranks, and the codec of datasets."""
