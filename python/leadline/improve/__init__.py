"""Makes an unmodified program faster on this machine, with proof, or says that nothing helps: `leadline improve`.

facts.py         what a record says about what could matter
candidates/      a file for each kind of setting: when it is worth trying, what it sets
setting.py       a setting, and a command with some of them
proof.py         whether a setting takes effect in the ranks
step.py          what is compared: an iteration's time, a figure that the program prints, the whole run
search.py        which run comes next, and what the times say: knows neither MPI nor launches
kept.py          what was measured, in the directory, so that an interrupted search goes on
stopping.py      launches that need not be whole: fewer steps, or ended after some iterations
improving.py     puts these together
watching.py      whether an applied run still shows the gain
written.py       what was kept as lines of a shell, a prolog, a module file
file.py          improve.toml, by which `leadline apply` sets what was kept
"""
