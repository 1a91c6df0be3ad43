"""Use cases: what a front end asks for, without printing anything."""
