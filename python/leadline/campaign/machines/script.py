"""The shell script that runs a program on a machine, and sends back what it left.

It needs a POSIX shell with the usual tools (tar, gzip, dd, grep) and /proc. It is one function, so that a part of it,
as a connection that breaks off leaves it, does nothing. Standard input is the connection: a line comes every few
seconds, and if there is none any more, the run is ended. A run that ended is kept until the next one begins, so that
a connection that was lost meanwhile costs nothing.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

VARIABLE = "LEADLINE_THERE"
TOOLS, TREES, RUNS, RUN = "tools", "trees", "runs", "run"
STATUS, FACTS, OUT, ERR = "status", "facts", "out", "err"
BEAT_S = 4.0
SILENT_S = 30  # without a line from the connection, after which it is taken for lost
DONE, TIMED_OUT = "done", "timed-out"
# In words: folders that only the machine knows in full. No word of a user's has a NUL.
BASE, OWN = "\0base\0", "\0run\0"
SHARING = "\0sharing\0"  # the launcher's options for more ranks than cores, if there are fewer cores
_SHELLS = {BASE: '"$base"', OWN: '"$run"', SHARING: "$sharing"}
_MEANT = re.compile(f"({'|'.join(_SHELLS)})")

SCRIPT = r"""
give() { tar -cf - -C "$1" . | gzip -c -1; exit 0; }
now() {
  t=$(date +%s%N)
  case $t in *[!0-9]*|'') read -r t _ < /proc/uptime; t=${t%.*}${t#*.}0000000;; esac
  echo "$t"
}
marked() { grep -ls "$mark" /proc/[0-9]*/environ | sed 's,^/proc/,,; s,/environ$,,'; }
end_all() {
  [ -z "$pid" ] || kill "$pid" 2> /dev/null
  for pass in 1 2 3 4 5; do
    [ -n "$(marked)" ] || return
    [ -z "$pid" ] || sleep 1
  done
  for pass in 1 2 3; do
    all=$(marked)
    [ -n "$all" ] || return
    kill -9 $all 2> /dev/null
  done
}
facts() {
  echo "Host=$(uname -n)"
  echo "CPU=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
  echo "Cores=$(grep -c '^processor' /proc/cpuinfo)"
  echo "Kernel=$(uname -s) $(uname -r)"
  echo "Governor=$(cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2> /dev/null)"
  echo "Usable cores=$(nproc 2> /dev/null)"
  echo "NUMA nodes=$(ls -d /sys/devices/system/node/node[0-9]* 2> /dev/null | grep -c .)"
  echo "MPI library=$("$mpiexec" --version 2>&1 | sed -n 's/^[^0-9]*\([0-9][0-9.]*[0-9a-z]*\).*/\1/p' | head -n 1)"
  echo "load=$(cut -d ' ' -f 1 /proc/loadavg)"
  echo "ticks=$(head -n 1 /proc/stat)"
}
watch() {
  waited=0 silent=0 last=
  while sleep 1; do
    waited=$((waited + 1)) silent=$((silent + 1)) beat=
    read -r beat < "$run/beat"
    [ "$beat" = "$last" ] || { silent=0; last=$beat; }
    if [ -f "$run/lost" ] || [ "$silent" -gt "$most_silent" ]; then
      : > "$run/lost"
      kill -9 "$beats"
      end_all
      kill -9 $$
      exit
    fi
    if [ "$waited" -ge "$limit" ]; then
      : > "$run/timed-out"
      end_all
      exit
    fi
  done
}
main() {
  pid= beats=
  cd "$base" || exit 3
  base=$(pwd -P)
  for each in runs/"$name".*/status; do
    [ -f "$each" ] && give "${each%/status}"
  done
  for each in runs/*; do
    case $each in runs/"$name".*) : > "$each/lost";; *) rm -rf "$each";; esac
  done
  end_all
  run=$base/runs/$name.$$
  mkdir -p "$run" || exit 3
  tree=$base/$tree
  mkdir -p "$run/run"
  [ "$(nproc 2> /dev/null || echo 1)" -lt "$ranks" ] || sharing=
  facts > "$run/facts" 2> /dev/null
  exec 3<&0
  : > "$run/beat"
  ( n=0; while read -r _; do n=$((n + 1)); echo "$n" > "$run/beat"; done; : > "$run/lost" ) <&3 > /dev/null 2>&1 &
  beats=$!
  begin=$(now)
  ( cd "$tree" && exec @COMMAND@ ) < /dev/null > "$run/out" 2> "$run/err" &
  pid=$!
  watch < /dev/null > /dev/null 2>&1 &
  watcher=$!
  wait "$pid"
  code=$?
  end=$(now)
  [ -f "$run/lost" ] && exit 4
  kill "$watcher" 2> /dev/null
  pid=
  end_all
  state=done
  [ -f "$run/timed-out" ] && state=timed-out
  echo "ticks=$(head -n 1 /proc/stat)" >> "$run/facts"
  echo "$state $code $begin $end" > "$run/status.new"
  mv "$run/status.new" "$run/status"
  kill "$beats" 2> /dev/null
  give "$run"
}
main
"""


@dataclass(frozen=True)
class There:
    """What is run.

    base: the campaign's folder there.   tree: that it runs in, from base on.   mark: the value of a variable that all
    its processes have.   mpiexec: asked for its version.   ranks: on a host.   sharing: the launcher's options if that
    has fewer cores.
    """

    base: str
    name: str
    tree: str
    words: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    limit_s: float = 0.0
    mark: str = ""
    mpiexec: str = ""
    ranks: int = 1
    sharing: Sequence[str] = ()


def text(of: There) -> str:
    variables = [f"{name}={_word(value)}" for name, value in {**of.environment, VARIABLE: of.mark}.items()]
    command = " ".join(["env", *variables, *map(_word, of.words)])
    given = {
        "base": shlex.quote(of.base),
        "name": shlex.quote(of.name),
        "tree": shlex.quote(of.tree),
        "mark": shlex.quote(f"{VARIABLE}={of.mark}"),
        "mpiexec": shlex.quote(of.mpiexec),
        "ranks": str(of.ranks),
        "sharing": shlex.quote(" ".join(of.sharing)),
        "limit": str(math.ceil(of.limit_s)),
        "most_silent": str(SILENT_S),
    }
    lines = "\n".join(f"{name}={value}" for name, value in given.items())
    return f"{lines}\n{SCRIPT.replace('@COMMAND@', command, 1)}"


def _word(word: str) -> str:
    """Quoted; the shell there puts in what only it knows."""
    return "".join(_SHELLS.get(part) or shlex.quote(part) for part in _MEANT.split(word) if part) or "''"
