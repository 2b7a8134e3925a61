"""Archives that other tools recorded, as runs: what `leadline import` does."""

from leadline.interchange.importing.otf2 import Imported, import_archive

__all__ = ["Imported", "import_archive"]
