"""Command lines of other programs."""

import pytest

from evenmatch.players.commands import command_of


@pytest.mark.parametrize("cmd", ["sh -c true", '"sh -c true"', "'sh -c true'"])
def test_a_command_may_be_in_quotation_marks(cmd):
    assert command_of(cmd) == ["sh", "-c", "true"]


def test_a_program_that_exists_keeps_the_space_in_its_name(tmp_path):
    program = tmp_path / "my engine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert command_of(f'"{program}"') == [str(program)]
