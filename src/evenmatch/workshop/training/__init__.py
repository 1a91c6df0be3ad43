"""Training: self-play, supervised fitting, and the loops that go with them."""
