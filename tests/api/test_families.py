"""Every constant, width and offset in api/abi/*.toml against the real headers and the real libraries."""

from pathlib import Path

from mpiapi.families import COMBINERS, CONSTANTS, HANDLES, INTEGERS, OPS, STATUS_FIELDS, Constant, Family

from .real_libraries import RealLibrary

C_TYPES = {
    "comm": "MPI_Comm", "request": "MPI_Request", "datatype": "MPI_Datatype", "message": "MPI_Message",
    "win": "MPI_Win", "file": "MPI_File", "group": "MPI_Group", "op": "MPI_Op", "info": "MPI_Info",
    "errhandler": "MPI_Errhandler", "session": "MPI_Session",
}  # fmt: skip
STATUS_MEMBERS = {"source": "MPI_SOURCE", "tag": "MPI_TAG", "error": "MPI_ERROR"}

# Intel's standard ABI numbers these attributes in another order than the standard; the recorder asks for neither.
NUMBERED_OTHERWISE = {"intel-abi": {"UNIVERSE_SIZE", "APPNUM"}}

HEAD = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define VALUE(name, value) printf("%s %llu\\n", name, (unsigned long long)(uintptr_t)(value))
static uintptr_t address_of(const char* symbol) { return (uintptr_t)dlsym(RTLD_DEFAULT, symbol); }
static uintptr_t content_of(const char* symbol) {
  void** variable = dlsym(RTLD_DEFAULT, symbol);
  return variable ? (uintptr_t)*variable : 0;
}
"""

# What the layout and the shared request are for, done as the recorder does it.
MESSAGES = """
  MPI_Init(NULL, NULL);
  char sent[100], received[100];
  union { MPI_Status status; char bytes[sizeof(MPI_Status)]; } u;
  memset(&u, 0xff, sizeof u);
  MPI_Request request;
  MPI_Irecv(received, 100, MPI_CHAR, 0, 7, MPI_COMM_SELF, &request);
  MPI_Send(sent, 37, MPI_CHAR, 0, 7, MPI_COMM_SELF);
  MPI_Wait(&request, &u.status);
  int source, tag;
  memcpy(&source, u.bytes + SOURCE, 4);
  memcpy(&tag, u.bytes + TAG, 4);
  VALUE("received source", source);
  VALUE("received tag", tag);
  uint64_t count = 0;
  if (TWO_WORDS) {
    uint32_t low, high;
    memcpy(&low, u.bytes + COUNT, 4);
    memcpy(&high, u.bytes + COUNT + 4, 4);
    count = low | (uint64_t)(high >> 1) << 32;
  } else if (ONE_WORD) {
    memcpy(&count, u.bytes + COUNT, 8);
  } else {
    int asked;
    MPI_Get_count(&u.status, MPI_BYTE, &asked);
    count = asked;
  }
  VALUE("received bytes", count);
  uint64_t handle = 0;
  MPI_Isend(sent, 37, MPI_CHAR, MPI_PROC_NULL, 7, MPI_COMM_SELF, &request);
  memcpy(&handle, &request, sizeof request);
  VALUE("finished", handle);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
"""


def _expression(constant: Constant) -> str:
    if constant.kind == "value":
        return f"(uintptr_t){constant.value:#x}ull"
    return f'{constant.kind}("{constant.symbol}")'


def _values(real: RealLibrary, family: Family, folder: Path) -> dict[str, int]:
    """The output of the program compiled with the real header: name -> value modulo 2^64."""
    lines = []
    for name in (*CONSTANTS, *OPS):
        lines += [f'VALUE("{name}", MPI_{name});', f'VALUE("our {name}", {_expression(family.constants[name])});']
    for name in [*INTEGERS, *(f"COMBINER_{combiner}" for combiner in COMBINERS)]:
        lines.append(f'VALUE("{name}", (intptr_t)(int)MPI_{name});')
    for handle in HANDLES:
        if handle == "session":
            lines.append("#if MPI_VERSION >= 4")
        lines.append(f'VALUE("bytes of {handle}", sizeof({C_TYPES[handle]}));')
    lines.append("#endif")
    lines.append('VALUE("status size", sizeof(MPI_Status));')
    lines += [f'VALUE("status {f}", offsetof(MPI_Status, {member}));' for f, member in STATUS_MEMBERS.items()]
    if family.finished_request.kind != "none":
        lines.append(f'VALUE("our finished", {_expression(family.finished_request)});')
    code = family.status["count_code"]
    status = {field.upper(): family.status[field] for field in STATUS_FIELDS}
    flags = {**status, "TWO_WORDS": int(code == "two_words"), "ONE_WORD": int(code == "one_word")}
    source = folder / "constants.c"
    source.write_text(HEAD + "int main(void) {\n" + "\n".join(lines) + MESSAGES + "  return 0;\n}\n")
    program = folder / "constants"

    done = real.compile(source, *(f"-D{name}={value}" for name, value in flags.items()), "-o", str(program), "-ldl")
    assert done.returncode == 0, done.stderr
    return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in real.run(program).splitlines()}


def test_constants_widths_and_offsets_are_the_real_ones(
    real: RealLibrary, families: dict[str, Family], tmp_path: Path
) -> None:
    family = families[real.family]
    values = _values(real, family, tmp_path)
    wrong = [f"{name}: {values[name]:#x}, ours {values['our ' + name]:#x}" for name in (*CONSTANTS, *OPS)
             if values[name] != values["our " + name]]  # fmt: skip
    wrong += [f"{name}: {values[name]}, ours {ours}" for name, ours in family.integers.items()
              if values[name] != ours % 2**64 and name not in NUMBERED_OTHERWISE.get(real.name, ())]  # fmt: skip
    wrong += [f"bytes of {handle}" for handle, ours in family.handle_bytes.items()
              if values.get(f"bytes of {handle}", ours) != ours]  # fmt: skip
    wrong += [f"status {field}" for field in ("size", *STATUS_MEMBERS)
              if values[f"status {field}"] != family.status[field]]  # fmt: skip
    assert not wrong, "\n".join(wrong)
    assert (values["received source"], values["received tag"], values["received bytes"]) == (0, 7, 37)
    # Intel's are shared as well, but are requests 0, 1, 2, which in MPICH are ordinary ones.
    if family.finished_request.kind != "none" and not real.name.startswith("intel"):
        assert values["finished"] & family.finished_mask == values["our finished"] & family.finished_mask


def test_the_library_file_is_known_by_its_name(real: RealLibrary, families: dict[str, Family]) -> None:
    known = {
        name: family.name for family in families.values() for name in family.libraries
        if real.file.name.startswith(name)
    }  # fmt: skip
    assert set(known.values()) == {real.family}
