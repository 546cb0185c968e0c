"""Lines of a file of expectations against those that came: for scripts whose --accept rewrites the whole file."""
import difflib
import sys


def differences(path, seen, context):
    """The lines of a unified diff, with so many unchanged lines around each change; None when `--accept` has written the file anew."""
    if "--accept" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in seen)
        return None
    with open(path, encoding="utf-8") as file:
        wanted = file.read().splitlines()
    return list(difflib.unified_diff(wanted, seen, "expected", "seen", lineterm="", n=context))
