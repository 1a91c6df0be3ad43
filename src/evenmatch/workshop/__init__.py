"""What makers of networks use: training, fitting, datasets, calibration. Play needs none of it."""
