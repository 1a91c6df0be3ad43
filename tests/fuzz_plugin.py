"""Property tests draw the same examples in every run, or, with ``--fuzz``, new ones in each.

A property is a test of hypothesis, or one that is parametrised by ``seed`` and draws all it uses
from that. ``python -m pytest --fuzz MINUTES`` runs these alone, each again and again for its share
of the time; those that differ by their seed alone count as one.
"""

import os
import secrets
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers

COUNTS = "rounds and examples"  #: what a report calls [rounds, examples] of a property
SEEDS = 2**31

#: Hypothesis starts from other defaults where a CI server's variables are set: name them all.
always = settings(
    database=None,
    deadline=None,
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("fuzz", always)
settings.register_profile("repeatable", always, derandomize=True, print_blob=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--fuzz``."""
    parser.addoption(
        "--fuzz", type=float, metavar="MINUTES", help="draw new examples of properties for so long"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Choose how examples are drawn, before the tests are imported."""
    minutes = config.getoption("--fuzz")
    if minutes is None:
        settings.load_profile("repeatable")
        forget_constants()
    else:
        settings.load_profile("fuzz")
        config.pluginmanager.register(Fuzzing(minutes))


def forget_constants() -> None:
    """Keep hypothesis from drawing constants of our modules.

    Which they are depends on what was imported before the first draw, so on the order of the tests.
    """
    providers._get_local_constants = providers.Constants  # of which there are none


def is_property(item: pytest.Item) -> bool:
    """Tell whether new examples can be drawn of a test."""
    return isinstance(item, pytest.Function) and (
        is_hypothesis_test(item.obj) or "seed" in parameters(item)
    )


def parameters(item: pytest.Function) -> dict[str, Any]:
    """Return what a test is parametrised by."""
    return item.callspec.params if hasattr(item, "callspec") else {}


def but_for_its_seed(item: pytest.Function) -> tuple:
    """Return what tells a property from others, apart from its seed."""
    others = {name: value for name, value in parameters(item).items() if name != "seed"}
    return item.path, item.cls, item.originalname, repr(others)


class Fuzzing:
    """The plugin of a run with ``--fuzz``."""

    def __init__(self, minutes: float):
        self.minutes = minutes
        self.share = 0.0  #: seconds for each property

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        """Keep the properties, and divide the time among them."""
        kept = {but_for_its_seed(item): item for item in items if is_property(item)}.values()
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
        self.share = 60 * self.minutes * min(workers / max(len(items), 1), 1)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        """Call a property until its share of the time is over, at least once."""
        test = Counted(pyfuncitem)
        end = time.monotonic() + self.share
        try:
            test.round()
            while time.monotonic() < end:
                test.round()
        finally:
            pyfuncitem.user_properties.append((COUNTS, [test.rounds, test.examples]))
        return True

    def pytest_terminal_summary(self, terminalreporter):
        """Say how much was drawn."""
        counts = [
            count
            for reports in terminalreporter.stats.values()
            for report in reports
            if getattr(report, "when", None) == "call"
            for name, count in report.user_properties
            if name == COUNTS
        ]
        rounds, examples = (sum(column) for column in zip((0, 0), *counts, strict=True))
        terminalreporter.write_line(
            f"Fuzzed {len(counts)} properties: {rounds} rounds, {examples} examples."
        )


class Counted:
    """A property that counts its rounds and examples."""

    def __init__(self, item: pytest.Function):
        self.rounds = self.examples = 0
        self._item = item
        self._arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
        if is_hypothesis_test(item.obj):
            item.obj.hypothesis.inner_test = self._counted(item.obj.hypothesis.inner_test)

    def round(self) -> None:
        """Run it once with new examples; of a seed that fails, the report tells."""
        self.rounds += 1
        if is_hypothesis_test(self._item.obj):
            self._item.obj(**self._arguments)
            return
        seed = secrets.randbelow(SEEDS)
        try:
            self._counted(self._item.obj)(**self._arguments | {"seed": seed})
        except BaseException:
            self._item.add_report_section("call", "fuzz", f"It failed with seed={seed}.")
            raise

    def _counted(self, test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def counted(*arguments, **named):
            __tracebackhide__ = True
            self.examples += 1
            return test(*arguments, **named)

        return counted
