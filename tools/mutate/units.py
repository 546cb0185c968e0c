"""The units in which tests run for a mutant: a test of CTest, or a part of one that is long."""
import ast
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

import schemata

MEMORY = 8 << 30        # bytes that the processes of a unit may have in memory: a GPU's memory is only address space
FILE_SIZE = 1 << 42     # bytes of a file: some tests make long ones with nothing in them
FILES = 4 << 30         # bytes that its files have on the disk
LOOK = 1.0              # seconds between two looks at it

stopping = threading.Event()    # set when the user ends it: units are ended, too
# Builds with sanitizers: what of them make check runs, and builds.
SANITIZED = {"hostile": (["-L", "unit|hostile"], []), "tsan": (["-L", "threads"], ["--target", "tsan_tests"])}


class Unit:
    def __init__(self, preset, name, command, folder, environment, properties):
        self.preset, self.name, self.command, self.folder = preset, f"{preset}/{name}", command, folder
        self.environment, self.properties = environment, properties
        self.key = self.seconds = None      # of its tests' files; of a run without a mutant
        self.reached = set()


# ---- Finding ----

def find_units(folder, preset):
    """Of a build in `folder`: the tests that make check runs there."""
    binary = schemata.binary_folder(folder, preset)
    only = SANITIZED.get(preset, ([], []))[0]
    listed = subprocess.run(["ctest", "--test-dir", binary, "--show-only=json-v1", *only], capture_output=True, check=True).stdout
    units = []
    for test in json.loads(listed)["tests"]:
        if "command" not in test:
            sys.exit(f"mutate: {test['name']}: there is no program")
        properties = {p["name"]: p["value"] for p in test["properties"]}
        environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        place = properties.get("WORKING_DIRECTORY", binary)
        for name, command in parts(test["name"], test["command"], place, environment):
            units.append(Unit(preset, name, command, place, environment, properties))
    return units


def parts(name, command, folder, environment):
    """Kernel tests by kernel, unittest's scripts by method; (name, command) of each."""
    script = next((word for word in command[:2] if word.endswith(".py")), None)
    if not script:
        return [(name, command)]
    path = os.path.join(folder, script)
    if os.path.basename(script) == "run_kernels.py":
        patterns = [w for w in command[2:] if "/" in w]
        options = [w for w in command[2:] if "/" not in w]
        names = subprocess.run([*command[:2], "--list", *patterns], capture_output=True, text=True, check=True,
                               cwd=folder, env={**os.environ, **environment}).stdout.split()
        return [(f"{name}:{n}", [*command[:2], *options, "-j1", "=" + n]) for n in dict.fromkeys(os.path.splitext(n)[0] for n in names)]
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    methods = [f"{c.name}.{f.name}" for c in tree.body if isinstance(c, ast.ClassDef)
               for f in c.body if isinstance(f, ast.FunctionDef) and f.name.startswith("test")]
    return [(f"{name}:{m.partition('.')[2]}", [*command, m]) for m in methods] or [(name, command)]


# ---- What a unit depends on, apart from the mutated sources ----

def tests_hash(root, unit, names, hashes):
    """Changes with the files of the tests that this unit may read: its own kernel or source where it has one, all of tests/ otherwise."""
    own = re.search(r":(\S+/\S+)$", unit.name) if "kernels" in unit.name else None
    program = os.path.basename(unit.command[0]) if "/unit/" in unit.command[0] else None
    if own:
        wanted = [n for n in names if n.startswith(f"tests/kernel/{own[1]}.") or re.fullmatch(r"tests/\w+\.py", n)]
    elif program:
        wanted = [n for n in names if n == f"tests/unit/{program}.c" or n.startswith("tests/") and not n.startswith(("tests/unit/", "tests/kernel/"))]
    else:
        wanted = [n for n in names if n.startswith(("tests/", "workloads/", "bench/")) and not n.startswith("tests/unit/")]
    digest = hashlib.sha256(repr((unit.command, sorted(unit.environment.items()))).encode())
    for name in wanted:
        if name not in hashes:
            with open(os.path.join(root, name), "rb") as file:
                hashes[name] = hashlib.sha256(file.read()).digest()
        digest.update(name.encode() + hashes[name])
    if own:
        digest.update(accepted_reports(root, *own[1].split("/", 1)).encode())
    return digest.hexdigest()[:16]


def accepted_reports(root, folder, name):
    """Of a kernel, as tests/digests.py keeps them: the lines below its headings."""
    try:
        with open(os.path.join(root, "tests", "reports", folder + ".txt"), encoding="utf-8") as file:
            parts_of = re.split(r"^(?=\S)", file.read(), flags=re.MULTILINE)
    except FileNotFoundError:
        return ""
    return "".join(part for part in parts_of if part.split(None, 1)[:1] == [name])


# ---- Running ----

def limit_resources():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:   # before anything else, where memory runs out
        file.write("1000")


def memory_of(session):
    """Bytes in memory of all processes of a session."""
    pages = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            pages += int(fields[21])
    return pages * resource.getpagesize()


def bytes_on_disk(folder):
    """Of the files under it; what goes meanwhile is left out."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_blocks * 512
            except OSError:
                continue
    return total


def wait(child, limit, scratch):
    """Its exit status, or why it is not waited for any longer."""
    end = time.monotonic() + limit
    while True:
        try:
            return child.wait(max(0.01, min(LOOK, end - time.monotonic()))), ""
        except subprocess.TimeoutExpired:
            if time.monotonic() >= end:
                return None, "time-out"
            if stopping.is_set():
                return None, "stopped"
            if memory_of(child.pid) > MEMORY:
                return None, "memory"
            if bytes_on_disk(scratch) > FILES:
                return None, "files"


def private(word, scratch, binary):
    """A file that the command writes under the build folder is written to `scratch`: several mutants run at once."""
    prefix, separator, path = word.rpartition("=")
    path = path if separator else word
    if path.startswith(binary + "/") and not os.path.isdir(path) and not os.access(path, os.X_OK):
        return prefix + separator + os.path.join(scratch, path[len(binary) + 1:].replace("/", "_"))
    return word


def run(unit, scratch, binary, limit, variables):
    """Runs a unit, with files of its own under `scratch`: (whether it passed, seconds, why it was ended if it was, what it printed)."""
    os.makedirs(scratch, exist_ok=True)
    temporary = os.path.join(scratch, "tmp")
    os.makedirs(temporary, exist_ok=True)
    environment = {**os.environ, **unit.environment, "TMPDIR": temporary, "XDG_CACHE_HOME": os.path.join(scratch, "cache"),
                   "PYTHONDONTWRITEBYTECODE": "1", **variables}
    command = [private(word, scratch, binary) for word in unit.command]
    start = time.monotonic()
    output = os.path.join(scratch, "output")
    with open(output, "wb") as file:
        child = subprocess.Popen(command, cwd=unit.folder, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                 preexec_fn=limit_resources)
        try:
            status, how = wait(child, limit, scratch)
        finally:
            kill_group(child.pid)
            child.wait()
            kill_strays(temporary)
    seconds = time.monotonic() - start
    with open(output, "rb") as file:
        text = file.read(1 << 20).decode("utf-8", "replace")
    shutil.rmtree(temporary, ignore_errors=True)
    return status is not None and passes(unit, status, text), seconds, how, text


def passes(unit, status, text):
    """As CTest judges."""
    expected = unit.properties.get("PASS_REGULAR_EXPRESSION")
    if expected:
        return any(re.search(e, text) for e in expected)
    return status == 0 or status == unit.properties.get("SKIP_RETURN_CODE", 0)


def kill_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_strays(temporary):
    """Processes of a unit that left its group: they have its TMPDIR in their environment."""
    mark = f"TMPDIR={temporary}\0".encode()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark in file.read():
                    os.kill(int(name), signal.SIGKILL)
        except (OSError, ProcessLookupError):
            pass
