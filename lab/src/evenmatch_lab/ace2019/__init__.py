"""ACE (2019): temperatures fitted to games of a rating, class tournaments, the Turing test."""
