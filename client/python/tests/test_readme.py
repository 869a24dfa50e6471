"""Each program of README.md runs as it stands, with the values of the devnet."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import Gateway

README = Path(__file__).parents[1] / "README.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


def missing_library(program: str) -> str | None:
    names = re.findall(r"^(?:from|import) (\w+)", program, re.MULTILINE)
    return next((name for name in names if find_spec(name) is None), None)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.split("\n")[0])
def test_a_program_of_the_readme_buys(program: str, gateway: Gateway, tmp_path: Path) -> None:
    missing = missing_library(program)
    if missing is not None:
        pytest.skip(f"{missing} is not in this environment")
    values = {
        "https://gateway.example": gateway.url,
        "payer.key": gateway.key_file,
        '"0x…token"': f'"{gateway.token}"',
        '"0x…recipient"': f'"{gateway.recipient}"',
    }
    for example, value in values.items():
        program = program.replace(example, value)
    file = tmp_path / "program.py"
    file.write_text(program)
    start = gateway.block()
    # LiteLLM downloads a list of prices at its import otherwise.
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command = [sys.executable, str(file)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "6 * 7 = 42." in done.stdout
    assert gateway.transfers_since(start) >= 1
