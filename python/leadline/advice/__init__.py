"""What to change first and what it gains: changes to the program are replayed before anybody edits a line
(docs/tune/advise.md). A kind of proposal is a file in `kinds/`."""

from leadline.advice.advise import Advice, advise, advise_within
from leadline.advice.candidate import Candidate
from leadline.advice.check import Check, check
from leadline.advice.proposal import Gain, Proposal

__all__ = ["Advice", "Candidate", "Check", "Gain", "Proposal", "advise", "advise_within", "check"]
