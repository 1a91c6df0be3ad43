"""Play: games in progress, of people and of opponents alone, without a screen or a disk.

A ``PlayedGame`` is a game between a person and an opponent as it stands, a ``Session`` the same in
progress; a ``Batcher`` decides the turns of many sessions together; ``arena`` lets opponents play
each other; a ``Tree`` is a search at full strength that is kept from move to move; a ``Score`` is
the end of a game of area. The front end brings the store and the clock.
"""
