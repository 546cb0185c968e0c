"""Writes a tree in which all chosen mutants are there at once, each behind a switch, and builds it once."""
import os
import re
import shutil
import subprocess
import sys

# `reached` is a byte per mutant, over which the file named by LOCKSTEP_MUTANTS_REACHED is mapped: what a process that
# is killed has reached is in it, too.  Each program and library has its own, hidden; all map the same file.
MUTANTS_MAX = 1 << 18      # always so many bytes: then the switch is linked once
HEADER = """\
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* found where a write is left out, which is a mutant like any other */
extern unsigned char lockstep_mutants_reached[] __attribute__((visibility("hidden")));
extern int lockstep_mutant __attribute__((visibility("hidden")));
/* Several threads may come here at once. */
#define LOCKSTEP_MUTANT(n) (__atomic_store_n(&lockstep_mutants_reached[n], 1, __ATOMIC_RELAXED), __builtin_expect(lockstep_mutant == (n), 0))
"""
SWITCH = """\
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN unsigned char lockstep_mutants_reached[%(size)d] __attribute__((aligned(4096)));
HIDDEN int lockstep_mutant = -1;

__attribute__((constructor(101))) static void choose(void)
{
	const char *number = getenv("LOCKSTEP_MUTANT"), *path = getenv("LOCKSTEP_MUTANTS_REACHED");
	if (number)
		lockstep_mutant = atoi(number);
	int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (file < 0)
		return;
	mmap(lockstep_mutants_reached, sizeof lockstep_mutants_reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
	close(file);
}
"""


# ---- Writing ----

def switched(source, mutants, header, path):
    """The file's text with a switch at every place.  `mutants` are (number, mutant).  Lines keep their numbers, and do not warn: for the
    compiler it is a system's header (3)."""
    groups = {}
    for number, mutant in mutants:
        for start, end, text, form in mutant.edits:
            groups.setdefault((start, -end), []).append((number, text, form))
    ordered = [(start, -end, groups[start, end]) for start, end in sorted(groups)]

    def write(start, end, at):
        """The text from start to end, in which ordered[at] is the next place; and which place comes behind it."""
        parts = []
        while at < len(ordered) and ordered[at][0] < end:
            low, high, choices = ordered[at]
            inner, at = write(low, high, at + 1)
            parts += [source[start:low], switch(choices, inner)]
            start = high
        parts.append(source[start:end])
        return "".join(parts), at
    return f'#include "{header}"\n# 1 "{path}" 3\n' + write(0, len(source), 0)[0]


def switch(choices, original):
    """What is written in a place: a chain of choices whose last is the original.  A form says what all of them must be."""
    forms = {form for _, _, form in choices}
    if "body" in forms:         # of a function
        return "{" + "".join(f"if (LOCKSTEP_MUTANT({n})) {text} else " for n, text, _ in choices) + original + "}"
    if "jump" in forms:
        return "".join(f"if (LOCKSTEP_MUTANT({n})) {text}; else " for n, text, _ in choices) + original
    if "place" in forms:        # may be written, or its address taken: the choice is between addresses
        others = [c for c in choices if c[2] != "place"]
        place = "(*(" + "".join(f"LOCKSTEP_MUTANT({n}) ? &{text} : " for n, text, form in choices if form == "place") + f"&{original}))"
        return switch(others, place) if others else place
    wrap = "(void)({})" if "void" in forms else "!!({})" if "truth" in forms else "({})"
    return "(" + "".join(f"LOCKSTEP_MUTANT({n}) ? {wrap.format(text)} : " for n, text, _ in choices) + wrap.format(original) + ")"


def write_if_changed(path, data):
    """So that ninja builds only what differs from the last time."""
    try:
        with open(path, "rb") as file:
            if file.read() == data:
                return
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def tracked_files(root):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, check=True).stdout
    return sorted({name for name in listed.decode().split("\0") if name and os.path.isfile(os.path.join(root, name))})


def write_tree(root, folder, numbered):
    """The repository's files under `folder`, with the mutants that are (number, mutant)."""
    source, header = os.path.join(folder, "source"), os.path.join(folder, "mutant.h")
    write_if_changed(header, HEADER.encode())
    write_if_changed(os.path.join(folder, "mutant.c"), (SWITCH % {"size": MUTANTS_MAX}).encode())
    by_file = {}
    for number, mutant in numbered:
        by_file.setdefault(mutant.file, []).append((number, mutant))
    names = tracked_files(root)
    for name in names:
        with open(os.path.join(root, name), "rb") as file:
            data = file.read()
        path = os.path.join(source, name)
        if name in by_file:
            data = switched(data.decode("latin-1"), by_file[name], header, path).encode("latin-1")
        write_if_changed(path, data)
        shutil.copymode(os.path.join(root, name), path)
    remove_others(source, set(names))


def remove_others(source, names):
    for folder, folders, files in os.walk(source):
        folders[:] = [f for f in folders if f != "__pycache__" and (folder != source or f != "build")]
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, source) not in names:
                os.unlink(path)


# ---- Building ----

ERROR = re.compile(r"^(/[^:\n]+):(\d+):\d+: (?:fatal )?error: (.*)$", re.M)


def binary_folder(folder, preset):
    """Where the build of a preset is: at the same place in its tree as any build, as programs look for files relative to their own place."""
    return os.path.join(folder, "source", "build", preset)


def build(root, folder, preset, targets, numbered, jobs):
    """Builds the tree; mutants that do not compile are left out until it builds.  What is left, as numbered."""
    source, binary, switch_object = os.path.join(folder, "source"), binary_folder(folder, preset), os.path.join(folder, "mutant.o")
    log = os.path.join(folder, f"build-{preset}.log")
    ccache = [f"-DCMAKE_C_COMPILER_LAUNCHER={shutil.which('ccache')}"] if shutil.which("ccache") else []
    while True:
        write_tree(root, folder, numbered)
        run_or_stop(["cc", "-O2", "-fPIC", "-c", "-o", switch_object, os.path.join(folder, "mutant.c")], log)
        linker = [f"-DCMAKE_{kind}_LINKER_FLAGS={switch_object}" for kind in ("EXE", "SHARED", "MODULE")]
        run_or_stop(["cmake", "-S", source, "--preset", preset, "-B", binary, *linker, *ccache, warnings_of(root, preset), "--log-level=WARNING"],
                    log, cwd=source)
        # The flags are those of the work tree's own build, so that what has no mutants comes out of its cache.
        with open(log, "w", encoding="utf-8") as output:
            done = subprocess.run(["cmake", "--build", binary, *targets, "--", "-k", "0", f"-j{jobs}"], stdout=output, stderr=subprocess.STDOUT,
                                  env={**os.environ, "CCACHE_BASEDIR": folder, "CCACHE_NOHASHDIR": "1"})    # work trees share it
        if not done.returncode:
            return numbered
        with open(log, encoding="utf-8", errors="replace") as file:
            errors = {(os.path.relpath(path, source), int(line)): text for path, line, text in ERROR.findall(file.read())}
        bad = {number for place in errors for number in blamed(root, *place, numbered)}
        if not bad:
            sys.exit(f"mutate: the build failed, and not because of a mutant: {log}")
        for number, mutant in numbered:
            if number in bad:
                print(f"does not compile  {mutant.shown()}", flush=True)
        numbered = [(number, mutant) for number, mutant in numbered if number not in bad]


def warnings_of(root, preset):
    """Whether warnings are errors in the work tree's own build."""
    try:
        with open(os.path.join(root, "build", preset, "CMakeCache.txt"), encoding="utf-8") as file:
            return "-DLOCKSTEP_WERROR=" + ("ON" if "LOCKSTEP_WERROR:BOOL=ON" in file.read() else "OFF")
    except FileNotFoundError:
        return "-DLOCKSTEP_WERROR=OFF"


def blamed(root, name, line, numbered):
    """The mutants that an error in a line can be of: a place's choices are all in its first line, the original follows."""
    with open(os.path.join(root, name), encoding="latin-1", newline="") as file:
        source = file.read()
    lines = {number: [(source.count("\n", 0, start) + 1, source.count("\n", 0, end) + 1) for start, end, _, _ in mutant.edits]
             for number, mutant in numbered if mutant.file == name}
    begins = {number for number, places in lines.items() if any(first == line for first, _ in places)}
    return begins or {number for number, places in lines.items() if any(first <= line <= last for first, last in places)}


def run_or_stop(command, log, cwd=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd)
    if done.returncode:
        with open(log, "wb") as file:
            file.write(done.stdout)
        sys.exit(f"mutate: {command[0]} failed: {log}")
