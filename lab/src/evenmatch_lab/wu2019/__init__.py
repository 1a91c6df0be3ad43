"""Strength adjustment (Wu 2019): the dial z, and z that follows the results."""
