from network_fixtures import game, net, path, states  # noqa: F401
