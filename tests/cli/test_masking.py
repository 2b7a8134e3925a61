"""What a run directory keeps of the user: the umask holds, and secrets are masked."""

import json
import os

from leadline import mpi
from leadline.masking import masked_words

from .conftest import Command, Tiny, description


def test_files_keep_to_the_umask(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    before = os.umask(0o077)
    try:
        ended = leadline("run", "-o", "run", "--", *mpich.launch(2), tiny(mpich))
    finally:
        os.umask(before)
    assert ended.code == 0, ended.everything
    files = [leadline.directory / "run", *(leadline.directory / "run").iterdir()]
    assert {path.name for path in files} >= {"run.json", "job.json", "report.txt", "report.json", "report.html"}
    assert [path.name for path in files if path.stat().st_mode & 0o077] == []


def test_secrets_are_masked_unless_they_are_asked_for(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    arguments = ["0", "--password=hunter2", "--token", "hunter2", "https://ann:hunter2@host/x"]
    environ = {"MPIR_CVAR_SOME_PASSWORD": "hunter2", "MPIR_CVAR_SOME_URL": "http://ann:hunter2@host"}
    program = str(tiny(mpich))
    assert leadline("run", "-o", "masked", "--", program, *arguments, environ=environ).code == 0
    masked = ["0", "--password=***", "--token", "***", "https://***@host/x"]
    assert description(leadline.directory / "masked")["command"] == [program, *masked]
    for path in (leadline.directory / "masked").iterdir():
        assert b"hunter2" not in path.read_bytes(), path
    found = json.loads(leadline("report", "masked", "--json").out)
    assert found["program"] == " ".join([program, *masked])
    assert leadline("record", "--keep-secrets", "-o", "kept", "--", program, *arguments, environ=environ).code == 0
    assert description(leadline.directory / "kept")["command"] == [program, *arguments]
    assert json.loads(leadline("report", "kept", "--json").out)["program"] == " ".join([program, *arguments])


WORDS = [
    *("--api-key", "K", "--token=T", "--verbose", "3", "-genv", "DB_PASSWORD", "x", "API_KEY=y", "--tokens", "5"),
    *("dbPassword=z", "PWD=/home", "--password", "--quiet", "-mca", "btl", "self", "-mca", "oob_secret", "s"),
    *(
        "a://u@h,b://v:w@x@h/p",
        "http://h/a@b",
        "Authorization: Bearer abc",
        "sh -c 'x --token=1 --pass 2'",
        "--monkey=b",
    ),
    *("--accessKey", "q", "=x", "-", "--", "é=ü", "PASSWORD=", "v", "tok en", "x-auth: basic c", "", " ", "s3://k:l@b"),
]


def test_the_recorder_and_the_command_mask_the_same_words(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    program = str(tiny(mpich))
    assert leadline("record", "-o", "run", "--", program, "0", *WORDS).code == 0
    found = json.loads(leadline("report", "run", "--json").out)
    expected = " ".join(masked_words([program, "0", *WORDS])).encode()
    assert found["program"].encode() == expected[:511]  # the recorder keeps no more
    assert masked_words(["--token=T", "é=ü"]) == ["--token=***", "é=ü"]
