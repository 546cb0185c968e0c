#!/usr/bin/env python3
"""An installed copy, as a user has it: in a folder of its own, called from another one, with nothing of the source tree but these lines.

    tests/install.py BUILD           BUILD: the build folder that is installed
    tests/install.py BUILD PREFIX    a copy that is there: Debian's packages of that source, unpacked by `dpkg-deb -x`, have it at /usr"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNEL = """.version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<3>;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [out];
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], %r1;
	ret;
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(embed LANGUAGES C)
find_package(lockstep 0.2 REQUIRED)
add_executable(embed embed.c)
target_link_libraries(embed PRIVATE lockstep::lockstep)
"""
# COMP_WORDS and COMP_CWORD are what bash gives to a completion.
COMPLETE = '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lockstep; echo "${COMPREPLY[@]}"'


def plain(page):
    """A man page's text without what roff writes in place of some characters."""
    for written, meant in (("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\e", "\\")):
        page = page.replace(written, meant)
    return page


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def page_of(path):
    """A man page, which packages have compressed."""
    if os.path.exists(path + ".gz"):
        with gzip.open(path + ".gz", "rt", encoding="utf-8") as file:
            return file.read()
    return text_of(path)


class Copy:
    """An installed tree, and the folder in which its commands are called."""

    def __init__(self, build, prefix, folder, is_there=False):
        self.build, self.prefix, self.folder, self.is_there = build, prefix, folder, is_there
        # The sanitizers of a build that is under test are not for compilers.
        self.environment = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "LOCKSTEP")}
        if not is_there:
            subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)

    def path(self, *words):
        return os.path.join(self.prefix, *words)

    def run(self, *words, status=0, **environment):
        """What a program prints; it has to end with `status`.  To a file: a compiler that stays for the next kernel would hold a pipe open."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
            result = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd=self.folder, env={**self.environment, **environment},
                                    timeout=60, check=False)
            file.seek(0)
            output = file.read()
        assert result.returncode == status, f"{' '.join(words)}: status {result.returncode}\n{output}"
        return output

    def lockstep(self, *words, **more):
        return self.run(self.path("bin", "lockstep"), *words, **more)


def check_version(copy):
    version = re.search(r"^## (\S+)", text_of(copy.path("share/doc/lockstep/CHANGELOG.md")), re.M).group(1)
    if copy.is_there:  # it may have been built elsewhere
        assert re.fullmatch(rf"lockstep {re.escape(version)}( \(commit \S+\))?\n", copy.lockstep("version"))
        return version
    commit = text_of(copy.build, "lockstep.commit").strip()
    assert commit or not os.path.exists(os.path.join(ROOT, ".git")) or not shutil.which("git"), "the build has found no commit"
    expected = f"lockstep {version}" + (f" (commit {commit})" if commit else "") + "\n"
    assert copy.lockstep("version") == expected, (copy.lockstep("version"), expected)
    return version


def check_kernel(copy):
    with open(os.path.join(copy.folder, "k.ptx"), "w", encoding="utf-8") as file:
        file.write(KERNEL)
    words = ["kernel", "k.ptx", "--block", "8", "--arg", "buf:out:u32:8", "--dump", "out"]
    gpu = copy.path("share/lockstep/gpus/v100.cfg")
    for more in ([], ["--gpu", gpu]):
        output = copy.lockstep(*words, *more)
        assert re.search(r"0: 0 1 2 3 4 5 6 7$", output, re.M), output


def check_tour(copy):
    """The tour's kernels are there, by the names that it has for them; tests/docs.py runs its commands."""
    words = re.search(r"^    \$ lockstep (kernel bench/\S+ .*)$", text_of(copy.path("share/doc/lockstep/docs/tour.md")), re.M).group(1).split()
    words[1] = copy.path("share/lockstep", words[1])
    assert re.search(r"0: 2.0 2.0 2.0 2.0$", copy.lockstep(*words), re.M)


def check_experiments(copy):
    wanted = {name for name in os.listdir(os.path.join(ROOT, "experiments")) if os.path.exists(os.path.join(ROOT, "experiments", name, "experiment.cfg"))}
    listed = set(re.findall(r"^(\S+)", copy.lockstep("experiment", "list"), re.M))
    assert listed == wanted and wanted, (listed, wanted)
    if not os.path.exists(os.path.join(copy.build, "workloads", "ht")):
        return "; without workloads, for which OpenCL's headers are missing"
    for name in wanted:
        folder = copy.path("share/lockstep/experiments", name)
        for file in re.findall(r'"([.][.]/[^"]+)"', text_of(folder, "experiment.cfg")):
            assert os.path.exists(os.path.join(folder, file)), f"{name}: {file} is missing"
    first = copy.lockstep("experiment", "lock-bits", "--points").splitlines()[0]  # looks for all of its programs and files
    assert copy.path("lib/lockstep/workloads/") in first, first
    return check_workload(copy)


def check_libclc(copy):
    """What the build has of it goes along; a program's library finds it there, not the system's."""
    if not os.path.exists(os.path.join(copy.build, "clc", "nvptx64--nvidiacl.bc")):
        return
    library = copy.path("lib/lockstep/clc/nvptx64--nvidiacl.bc")
    kept = shutil.copy2(library, copy.path("share/lockstep"))
    with open(library, "wb") as file:
        file.write(b"none")
    output = copy.lockstep("run", copy.path("lib/lockstep/workloads/ht"), "--size", "small", status=1, XDG_CACHE_HOME="/dev/null")
    assert "bitcode" in output, output
    shutil.move(kept, library)


def check_workload(copy):
    """That a workload takes its kernels from the copy: it stops when that one does.  Their pinned PTX needs no compiler."""
    words = ["run", "--mode", "functional", copy.path("lib/lockstep/workloads/ht"), "--size", "small"]
    cache = {"XDG_CACHE_HOME": os.path.join(copy.build, "workloads", "cache")}  # that of the workloads' tests
    pinned = ["run", "--pinned", copy.path("share/lockstep/workloads/ptx/ht"), *words[1:]]
    output = copy.lockstep(*pinned, PATH="/nonexistent", XDG_CACHE_HOME="/dev/null")
    assert "PASSED" in output and "not pinned" not in output, output
    check_libclc(copy)
    with open(copy.path("share/lockstep/workloads/ht.cl"), "w", encoding="utf-8") as file:
        file.write("#error the installed one\n")
    assert "the installed one" in copy.lockstep(*words, status=1, **cache)
    return ""


def check_exports(copy, version):
    """The library has the functions of the header and no other, under the name that its version has."""
    header = re.sub(r"/\*.*?\*/", "", text_of(copy.path("include/lockstep.h")), flags=re.S)
    declared = set(re.findall(r"\b(lockstep_\w+)\(", header))
    library = os.path.join(copy.libraries, "liblockstep.so")
    names = {line.split()[-1].split("@")[0] for line in copy.run("nm", "-D", "--defined-only", library).splitlines()}
    exported = {name for name in names if not name.startswith("LOCKSTEP_")}
    assert exported == declared and len(declared) > 40, exported ^ declared
    minor = version.rsplit(".", 1)[0]
    assert f"[liblockstep.so.{minor}]" in copy.run("readelf", "-d", library)


def check_embedding(copy, sanitizers):
    """examples/embed.c by pkg-config, and by CMake."""
    shutil.copy(copy.path("share/lockstep/examples/embed.c"), copy.folder)
    found = {"PKG_CONFIG_PATH": os.path.join(copy.libraries, "pkgconfig")}
    line = next(line.strip(" *\n") for line in open(os.path.join(copy.folder, "embed.c"), encoding="utf-8") if "pkg-config" in line)
    assert line in text_of(copy.path("share/doc/lockstep/docs/install.md")), line
    copy.run("sh", "-c", f"{line} -Wall -Wextra -Werror {sanitizers}", **found)
    output = copy.run("./embed", LD_LIBRARY_PATH=copy.libraries)
    reports = re.findall(r"^(\w+), kernel squares: completed\n +cycles +(\d+)$", output, re.M)
    assert [gpu for gpu, _ in reports] == ["gtx480", "v100"] and reports[0][1] != reports[1][1], output
    assert output.count("sync__atomic_lanes.sum                           4096 operations") == 2, output
    with open(os.path.join(copy.folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
        file.write(PROJECT)
    copy.run("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={copy.prefix}", f"-DCMAKE_C_FLAGS={sanitizers}")
    copy.run("cmake", "--build", "build")
    assert copy.run("build/embed") == output


def check_python(copy):
    """examples/histogram.py with the installed module, which finds its library; below a prefix of Python's the module is in Python's folder."""
    found = [root for root, dirs, _ in os.walk(copy.prefix) if "lockstep" in dirs and root.endswith("-packages")]
    assert found == [copy.path("lib/python3/dist-packages")], found
    output = copy.run(sys.executable, copy.path("share/lockstep/examples/histogram.py"), PYTHONPATH=found[0], PYTHONDONTWRITEBYTECODE="1", LOCKSTEP_LIBRARY="")
    assert re.findall(r"^(\w+) +(\w+) +completed", output, re.M) == [("gtx480", "direct"), ("gtx480", "shared"), ("v100", "direct"), ("v100", "shared")], output
    environment = copy.path("environment")
    copy.run(sys.executable, "-m", "venv", "--without-pip", environment)
    interpreter = os.path.join(environment, "bin", "python3")
    said = copy.run("cmake", "--install", copy.build, "--prefix", environment)  # whose Python is asked, not that of PATH
    assert f"Python's module: {interpreter} finds it" in said, said[-300:]
    where = copy.run(interpreter, "-c", "import lockstep; print(lockstep.__file__, lockstep._library.library._name)").split()
    assert all(path.startswith(os.path.realpath(environment) + "/") for path in where), where
    # With another python3 in PATH, as pyenv has one, Debian's is asked what it finds below /usr/local.
    script = os.path.join(ROOT, "scripts/python-folder")
    if "dist-packages" in copy.run("/bin/sh", "-c", "/usr/bin/python3 -m site || true"):
        assert copy.run(interpreter, script, "/usr/local") == copy.run("/usr/bin/python3", script, "/usr/local") != "lib/python3/dist-packages\n"


def check_manual(copy):
    """A page for each command, that has each option that --help has; and completion that knows them."""
    commands = re.findall(r"^ {4}lockstep (\w+)", copy.lockstep("help"), re.M)
    completion = copy.path("share/bash-completion/completions/lockstep")
    assert copy.run("bash", "-c", COMPLETE, completion, "lockstep", "").split() == commands and len(commands) > 8
    for command in commands:
        page = plain(page_of(copy.path(f"share/man/man1/lockstep-{command}.1")))
        assert page.startswith(f".TH LOCKSTEP-{command.upper()} 1 "), page[:80]
        # An option and the last word of its text, which is in its line or in those below it.
        found = [] if command == "help" else re.findall(r"^ {4}--(\S+)((?:.*\n {8})*.*)$", copy.lockstep(command, "--help"), re.M)
        rows = [(option, text.split()[-1]) for option, text in found]
        for option, last in rows:
            assert f"\\fB--{option}\\fR" in page, f"lockstep-{command}.1 lacks --{option}"
            assert last in page, f"lockstep-{command}.1, --{option}: '{last}' is missing"
        options = set(copy.run("bash", "-c", COMPLETE, completion, "lockstep", command, "--").split())
        assert options == {"--" + option for option, _ in rows} | {"--help"}, (command, options)
    assert copy.run("bash", "-c", COMPLETE, completion, "lockstep", "kernel", "--mode", "").split() == ["timing", "functional"]
    assert "gto" in copy.run("bash", "-c", COMPLETE, completion, "lockstep", "kernel", "--scheduler", "").split()
    zsh = "zsh/vendor-completions/_lockstep" if os.path.exists(copy.path("share/zsh/vendor-completions")) else "zsh/site-functions/_lockstep"
    for shell, file in (("zsh", zsh), ("fish", "fish/vendor_completions.d/lockstep.fish")):
        text = text_of(copy.path("share", file))
        assert all(command in text for command in commands) and "spin" in text
        if shutil.which(shell):
            assert copy.run(shell, "-n", copy.path("share", file)) == ""
    if shutil.which("man"):
        shown = copy.run("man", "-P", "cat", "lockstep-kernel", MANPATH=copy.path("share/man"), MANWIDTH="100")
        assert "lockstep-kernel - run one kernel, without a host program" in shown, shown[:300]


def main():
    build = os.path.abspath(sys.argv[1])
    cache = text_of(build, "CMakeCache.txt")
    sanitize = re.search(r"^LOCKSTEP_SANITIZE:\w+=(.+)$", cache, re.M)
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "away"))
        copy = Copy(build, os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(folder, "prefix"), os.path.join(folder, "away"), len(sys.argv) > 2)
        folders = [root for root, _, names in os.walk(copy.prefix) if "liblockstep.so" in names]
        assert len(folders) == 1, folders
        copy.libraries = folders[0]
        version = check_version(copy)
        check_kernel(copy)
        check_tour(copy)
        check_manual(copy)
        check_exports(copy, version)
        check_embedding(copy, f"-fsanitize={sanitize.group(1)}" if sanitize else "")
        if not sanitize:
            check_python(copy)
        words = check_experiments(copy)
    print(f"an installed copy of {version} works{words}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
