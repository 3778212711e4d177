"""A store on a server is named where a file is, and its password is shown nowhere."""

from __future__ import annotations

import json

from tests.cli.command_line import READ_ALL, Command, note
from tests.postgres import ROLE, server


def test_commands_on_a_store_on_a_server(text2mem: Command) -> None:
    url = server().prepared("commands").replace(f"{ROLE}@", f"{ROLE}:geheim@")
    store = ("--db", f"postgres:{url}")
    done = text2mem(
        "exec", *store, "--yes", stdin=json.dumps([note("牛奶", tags=["买"]), READ_ALL])
    )
    assert done.code == 0, done.err
    assert text2mem("show", "1", *store).json["tags"] == ["买"]
    assert len(text2mem("log", *store).rows) == 1
    assert text2mem("tick", *store).code == 0
    assert text2mem("undo", text2mem("log", *store).rows[0]["trace_id"], *store).code == 0
    assert text2mem("reindex", *store).code == 0
    doctor = text2mem("doctor", *store, "--quick")
    (found,) = (row for row in doctor.rows if row["what"] == "store")
    assert (found["state"], f"{ROLE}@" in found["detail"]) == ("ok", True)
    lost = ("--db", "postgres:postgresql://bo:geheim@127.0.0.1:1/none")
    refused = [text2mem(command, *lost) for command in ("log", "doctor", "tick")]
    assert {each.code for each in refused} <= {1, 2, 3}
    assert "geheim" not in " ".join(o.out + o.err for o in [done, doctor, *refused])
