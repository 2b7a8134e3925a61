"""The proof that the recorder is right: programs with known traffic, over every MPI library and language binding."""

import pytest

pytest.register_assert_rewrite("recorder.library_checks")
