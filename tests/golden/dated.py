"""Run ``evenmatch`` at a given time: ``python dated.py SECONDS ARGUMENT...``, since 1970.

Levels depend on how long ago games were played, and tables have the dates.
"""

import datetime
import runpy
import sys
import time

NOW = float(sys.argv.pop(1))


class Date(datetime.date):
    """Dates, of which today is NOW's."""

    @classmethod
    def today(cls):
        """Return NOW's date."""
        return cls.fromtimestamp(NOW)


class DateTime(datetime.datetime):
    """Times, of which the present is NOW."""

    @classmethod
    def now(cls, tz=None):
        """Return NOW."""
        return cls.fromtimestamp(NOW, tz)


if __name__ == "__main__":
    time.time = lambda: NOW
    datetime.date, datetime.datetime = Date, DateTime
    sys.path.pop(0)  # of this folder
    runpy.run_module("evenmatch", run_name="__main__", alter_sys=True)
