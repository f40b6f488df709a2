"""A module that needs what is not there."""

import no_such_library_anywhere  # type: ignore[import-not-found]

answer = no_such_library_anywhere.answer
