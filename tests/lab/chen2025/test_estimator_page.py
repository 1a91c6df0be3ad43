"""What the page of ranks says of networks that are trained alike."""

from evenmatch_lab.chen2025 import estimator


def curve(share, said=(1, 0, 0, 0, 0, 0, 0, 1)):
    """A method's curve at the games that are judged by; ``said`` are answers by rank."""
    point = {"games": estimator.JUDGED_GAMES, "exact": [share, share - 0.05, share + 0.05]}
    return {"points": [point], "confusion": {str(estimator.CONFUSED): [list(said)] * 8}}


def test_orders_of_the_paper_are_seen_where_intervals_are_apart():
    curves = {
        "SE_inf, short": curve(0.7),
        "SE_inf, three-ranks": curve(0.62),
        "SE_inf, two-ranks": curve(0.5),
        "SL_sum, classifier": curve(0.4),
        "SL_vote, classifier": curve(0.8),
    }
    text = "\n".join(estimator.verdict(curves))
    assert "all ranks to learn from tell more than three: not told at 26 games" in text
    assert "three ranks to learn from tell more than two: seen at 26 games (62% and 50%" in text
    assert "SE_inf tells more than SL_sum: seen" in text
    assert "SL_sum tells more than SL_vote: not seen" in text
    assert "- SL_vote, classifier says 2 of 8 ranks in more than 1% of cases." in text


def test_only_what_was_measured_is_compared():
    assert "two" not in "\n".join(estimator.verdict({"SE_inf, two-ranks": curve(0.5)}))
