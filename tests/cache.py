#!/usr/bin/env python3
"""The cache of compiled kernels, from outside: what makes an entry stale, what is not kept, whose folder is used, how large it becomes,
`lockstep cache`, and what a compiler says that cannot run.

    tests/cache.py [-k NAME]     LOCKSTEP names the command; skipped where there is no clang
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", "build/release/lockstep"))
HAS_CLANG = bool(os.environ.get("LOCKSTEP_CLANG")) or any(shutil.which(name) for name in ["clang", *(f"clang-{n}" for n in range(14, 23))])
SHARED = os.path.join(os.path.dirname(LOCKSTEP), "workloads", "cache")  # has the libraries of OpenCL C, which take seconds
CUDA = "__global__ void k(int *a) { *a = V; }\n"


class Cache(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-cache-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.home = os.path.join(self.folder, "home")
        self.cache = os.path.join(self.home, "lockstep")
        self.work = os.path.join(self.folder, "work")
        os.mkdir(self.home)
        os.mkdir(self.work)
        self.environment = {**os.environ, "XDG_CACHE_HOME": self.home}
        for name in ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LOCKSTEP_CACHE_SIZE"]:
            self.environment.pop(name, None)

    def write(self, name, text):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def remove(self, name):
        path = os.path.join(self.work, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)

    def run_it(self, *words, **more):
        more = {"env": self.environment, "cwd": self.work, **more}
        return subprocess.run([LOCKSTEP, *words], capture_output=True, text=True, check=False, **more)

    def entries(self):
        """The files of compiled kernels; those of the libraries are larger."""
        if not os.path.isdir(self.cache):
            return []
        paths = [os.path.join(self.cache, name) for name in os.listdir(self.cache) if re.fullmatch("[0-9a-f]{32}", name)]
        return sorted(path for path in paths if os.path.getsize(path) < 100000)

    def value(self, *words):
        """What the kernel stores."""
        result = self.run_it("kernel", *words, "--arg", "buf:a:s32:1", "--dump", "a")
        self.assertEqual(result.returncode, 0, result.stderr)
        return int(re.search(r"^ +0: (-?\d+)$", result.stdout, re.M).group(1))

    # ---- Files that appear ----

    def test_appears_before(self):
        """In a folder that is searched first, in one that was not there, beside the source; and goes again."""
        self.write("t.cu", '#include "v.h"\n' + CUDA)
        self.write("b/v.h", "#define V 1\n")
        words = ["t.cu", "-Ia", "-Ib"]
        self.assertEqual(self.value(*words), 1)
        kept = self.entries()
        self.assertEqual(self.value(*words), 1)
        self.assertEqual((len(kept), self.entries()), (1, kept))
        self.write("a/v.h", "#define V 2\n")  # the folder is new
        self.assertEqual(self.value(*words), 2)
        self.write("v.h", "#define V 3\n")
        self.assertEqual(self.value(*words), 3)
        self.remove("v.h")
        self.assertEqual(self.value(*words), 2)
        self.remove("a/v.h")  # the folder is not new
        self.assertEqual(self.value(*words), 1)
        self.write("a/v.h", "#define V 4\n")
        self.assertEqual(self.value(*words), 4)

    def test_appears_for_header(self):
        """What a header includes is looked for beside it; a link to its folder leads elsewhere later."""
        self.write("t.cu", '#include <one/h.h>\n' + CUDA)
        self.write("b/one/h.h", '#include "v.h"\n')
        self.write("b/v.h", "#define V 1\n")
        self.assertEqual(self.value("t.cu", "-Ib"), 1)
        self.write("b/one/v.h", "#define V 2\n")
        self.assertEqual(self.value("t.cu", "-Ib"), 2)
        self.write("c/one/h.h", '#include "v.h"\n')
        os.symlink("c", os.path.join(self.work, "link"))
        self.assertEqual(self.value("t.cu", "-Ilink", "-Ib"), 1)
        self.write("c/one/v.h", "#define V 3\n")
        self.assertEqual(self.value("t.cu", "-Ilink", "-Ib"), 3)
        self.remove("link")
        os.symlink("b", os.path.join(self.work, "link"))
        self.assertEqual(self.value("t.cu", "-Ilink", "-Ib"), 2)

    def test_appears_for_has_include(self):
        source = '#ifdef __has_include\n# if __has_include(<sub/x.h>)\n#  define V 2\n# endif\n#endif\n#ifndef V\n#define V 1\n#endif\n'
        self.write("t.cu", source + CUDA)
        self.assertEqual(self.value("t.cu", "-Ia"), 1)
        self.assertEqual(len(self.entries()), 1)
        self.write("a/sub/x.h", "")
        self.assertEqual(self.value("t.cu", "-Ia"), 2)
        self.remove("a/sub/x.h")
        self.assertEqual(self.value("t.cu", "-Ia"), 1)

    def test_no_working_folder(self):
        """Where the working folder has been removed kernels run as ever, and nothing is kept: names in it lead nowhere."""
        path = self.write("t.cu", "#define V 5\n" + CUDA)
        script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" kernel "$1" --arg buf:a:s32:1 --dump a'
        run = subprocess.run(["sh", "-c", script, LOCKSTEP, path], cwd=self.work, capture_output=True, text=True, check=False, env=self.environment)
        self.assertRegex(run.stdout, r"(?m)^ +0: 5$")
        self.assertEqual((run.returncode, self.entries()), (0, []))

    def test_appears_for_opencl(self):
        self.environment["XDG_CACHE_HOME"] = SHARED
        self.write("sub/t.cl", '#include <v.h>\nkernel void k(global int *a) { *a = V; }\n')
        self.write("b/v.h", "#define V 1\n")
        if self.run_it("kernel", "sub/t.cl", "-Ib", "--kernel-list").returncode:
            self.skipTest("no libclc")
        self.assertEqual(self.value("sub/t.cl", "-Ia", "-Ib"), 1)
        self.write("a/v.h", "#define V 2\n")
        self.assertEqual(self.value("sub/t.cl", "-Ia", "-Ib"), 2)
        self.write("sub/v.h", "#define V 3\n")  # the file's folder is the first
        self.assertEqual(self.value("sub/t.cl", "-Ia", "-Ib"), 3)

    def test_appears_in_environment(self):
        self.write("t.cu", '#include <v.h>\n' + CUDA)
        self.write("b/v.h", "#define V 1\n")
        self.environment["CPATH"] = "a:b"
        self.assertEqual(self.value("t.cu"), 1)
        self.write("a/v.h", "#define V 2\n")
        self.assertEqual(self.value("t.cu"), 2)

    def test_appears_instead_of_ours(self):
        """A header of ours, which exists for the compiler only, and one that ours includes."""
        self.write("t.cu", "#include <cuda_fp16.h>\n#ifndef V\n#define V 1\n#endif\n" + CUDA)
        self.assertEqual(self.value("t.cu", "-Ia"), 1)
        self.write("a/cuda_fp16.h", "#define V 2\n")
        self.assertEqual(self.value("t.cu", "-Ia"), 2)
        self.remove("a/cuda_fp16.h")
        self.write("a/stddef.h", "#include_next <stddef.h>\n#define V 3\n")
        self.assertEqual(self.value("t.cu", "-Ia"), 3)

    def test_same_file(self):
        """#pragma once knows a file by what it is, not by its name."""
        self.write("t.cu", '#include "a/v.h"\n#include "b/v.h"\nenum { V = __COUNTER__ };\n' + CUDA)
        text = '#pragma once\nstatic_assert(__COUNTER__ < 9, "");\n'
        self.write("a/v.h", text)
        path = self.write("b/v.h", text)
        self.assertEqual(self.value("t.cu"), 2)
        os.unlink(path)
        os.link(os.path.join(self.work, "a/v.h"), path)
        self.assertEqual(self.value("t.cu"), 1)

    def test_other_folder(self):
        """The same text in another folder is another program: a finding names the file of its own."""
        found = []
        for name in "a", "b", "a":
            self.write(name + "/t.cu", "#define V 1\n" + CUDA)
            result = self.run_it("kernel", "t.cu", "--arg", "u64:0", "--report", "json", cwd=os.path.join(self.work, name))
            found.append(re.search(r"(\S+)/t\.cu:2\b", result.stdout + result.stderr).group(1))
        self.assertEqual([os.path.basename(path) for path in found], ["a", "b", "a"])
        self.assertEqual(len(self.entries()), 2)

    # ---- What is kept, and what is not ----

    def test_kept(self):
        """With headers of the system, comments that talk of #include, __has_include in its usual form."""
        self.write("v.h", "/*\n#include NAMES\n__TIME__ */ // __has_include\n#if defined(__has_include) && __has_include(<x.h>)\n#endif\n#define V 1\n")
        self.write("t.cu", '#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <limits.h>\n#include "v.h"\n#define PASTE(a) __##a\n' + CUDA)
        self.assertEqual(self.value("t.cu"), 1)
        self.assertEqual(len(self.entries()), 1)
        self.assertEqual(self.value("t.cu"), 1)

    def test_made_names(self):
        """Names that macros make, in all forms, are looked for like others, and so is what CCC_OVERRIDE_OPTIONS adds."""
        for text, name in [('#define NAME "v.h"\n#include NAME\n', "v.h"),
                           ('#define NAME <x.h>\n#if __has_include(NAME)\n#define V 2\n#else\n#define V 1\n#endif\n', "a/x.h"),
                           ('#define HAS __has_include\n#if HAS("x.h")\n#define V 2\n#else\n#define V 1\n#endif\n', "a/x.h"),
                           ('#define CAT(a, b) a##b\n#if CAT(__has_, include)("x.h")\n#define V 2\n#else\n#define V 1\n#endif\n', "a/x.h")]:
            with self.subTest(text):
                self.run_it("cache", "--clear")
                self.write("v.h", "#define V 1\n")
                self.write("t.cu", text + CUDA)
                self.assertEqual([self.value("t.cu", "-Ia") for _ in range(2)], [1, 1])
                self.assertEqual(len(self.entries()), 1)
                self.write(name, "#define V 2\n" if name == "v.h" else "")
                self.assertEqual(self.value("t.cu", "-Ia"), 2)
                self.remove(name)
        self.run_it("cache", "--clear")
        self.write("t.cu", CUDA)
        self.write("b/w.h", "#define V 3\n")
        self.environment["CCC_OVERRIDE_OPTIONS"] = "# +-Ia +-Ib +-include +w.h"
        self.assertEqual([self.value("t.cu") for _ in range(2)], [3, 3])
        self.assertEqual(len(self.entries()), 1)
        self.write("a/w.h", "#define V 4\n")
        self.assertEqual(self.value("t.cu"), 4)

    def test_not_kept(self):
        """The time, of the compilation or of files, in all forms."""
        self.write("v.h", "#define V 1\n")
        for text in ['const char when[] = __TIME__;\n', 'const char when[] = __DATE__;\n', 'const char when[] = __TIMESTAMP__;\n',
                     '#define CAT(a, b) a##b\nconst char when[] = CAT(__TI, ME__);\n',
                     '#pragma GCC dependency "v.h"\n']:
            with self.subTest(text):
                self.write("t.cu", '#include "v.h"\n' + text + CUDA)
                self.assertEqual(self.value("t.cu"), 1)
                self.assertEqual(self.entries(), [])
        self.write("t.cu", '#include "v.h"\n' + CUDA)
        self.assertEqual(self.value("t.cu"), 1)
        self.assertEqual(len(self.entries()), 1)

    def test_script(self):
        """A script around clang, which is no server: what it looks for is noted all the same."""
        clang = os.environ.get("LOCKSTEP_CLANG") or next(path for path in map(shutil.which, ["clang-14", *(f"clang-{n}" for n in range(22, 14, -1)), "clang"]) if path)
        self.environment["LOCKSTEP_CLANG"] = self.write("compiler", f'#!/bin/sh\n[ $# -eq 0 ] && exit\nexec {clang} "$@"\n')
        os.chmod(self.environment["LOCKSTEP_CLANG"], 0o755)
        self.write("t.cu", '#include <v.h>\n' + CUDA)
        self.write("b/v.h", "#define V 1\n")
        self.assertEqual([self.value("t.cu", "-Ia", "-Ib") for _ in range(2)], [1, 1])
        self.assertEqual(len(self.entries()), 1)
        self.write("a/v.h", "#define V 2\n")
        self.assertEqual(self.value("t.cu", "-Ia", "-Ib"), 2)

    def test_changes_meanwhile(self):
        """A header that changes, or comes to be in front of another, after clang has read what it needs."""
        clang = os.environ.get("LOCKSTEP_CLANG") or next(path for path in map(shutil.which, ["clang-14", *(f"clang-{n}" for n in range(22, 14, -1)), "clang"]) if path)
        self.write("t.cu", '#include "v.h"\n' + CUDA)
        for change in ["echo '#define V 2' > b/v.h", "mkdir -p a; echo '#define V 2' > a/v.h"]:
            with self.subTest(change):
                self.write("b/v.h", "#define V 1\n")
                self.environment["LOCKSTEP_CLANG"] = self.write("compiler", f'#!/bin/sh\n[ $# -eq 0 ] && exit\n{clang} "$@"\nstatus=$?\n{change}\nexit $status\n')
                os.chmod(self.environment["LOCKSTEP_CLANG"], 0o755)
                self.assertEqual([self.value("t.cu", "-Ia", "-Ib") for _ in range(2)], [1, 2])

    def test_name(self):
        """clang takes @FILE for a file of words where there is one."""
        self.write("t.cu", "words")
        self.write("@t.cu", "#define V 1\n" + CUDA)
        self.assertEqual(self.value("@t.cu"), 1)

    def test_messages(self):
        """Only the compiler's own messages are shown, from the cache as at first."""
        self.write("t.cu", "#warning attention\n#define V 1\n" + CUDA)
        first, again = (self.run_it("kernel", "t.cu", "--arg", "buf:a:s32:1").stderr for _ in range(2))
        self.assertEqual(len(self.entries()), 1)
        self.assertEqual(again, first)
        self.assertIn("attention", first)

    # ---- The folder ----

    def test_unsafe(self):
        """A folder that others may write to, or another user's, is not used: one line, and a right result."""
        self.write("t.cu", "#define V 1\n" + CUDA)
        self.assertEqual(self.value("t.cu"), 1)
        path = self.entries()[0]
        before = os.stat(path).st_mtime_ns
        unsafe = [lambda: os.chmod(self.cache, 0o777)]
        if not os.geteuid():
            unsafe.append(lambda: os.chown(self.cache, 1, 1))
        for make in unsafe:
            make()
            result = self.run_it("kernel", "t.cu", "--arg", "buf:a:s32:1")
            self.assertEqual(result.returncode, 0)
            self.assertRegex(result.stderr, f"\\Alockstep: compiled kernels are not kept in {self.cache}: .*\n\\Z")
            self.assertIn("in use   no: ", self.run_it("cache").stdout)
            self.assertEqual(self.run_it("cache", "--clear").returncode, 2)
            os.chmod(self.cache, 0o700)
        self.assertEqual((len(os.listdir(self.cache)), os.stat(path).st_mtime_ns), (2, before))

    def test_off(self):
        self.write("t.cu", "#define V 1\n" + CUDA)
        self.environment["LOCKSTEP_CACHE_SIZE"] = "0"
        self.assertEqual(self.value("t.cu"), 1)
        self.assertFalse(os.path.exists(self.cache))
        self.environment["LOCKSTEP_CACHE_SIZE"] = "much"
        result = self.run_it("kernel", "t.cu", "--arg", "buf:a:s32:1")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (0, 1))
        self.assertIn("LOCKSTEP_CACHE_SIZE=much: expected bytes, such as 512M", result.stderr)

    def test_command(self):
        result = self.run_it("cache")
        self.assertEqual(result.stdout, f"folder   {self.cache}\nin use   yes\nentries  0\nsize     0 bytes\nlimit    536,870,912 bytes (LOCKSTEP_CACHE_SIZE)\n")
        self.assertFalse(os.path.exists(self.cache))
        self.write("t.cu", "#define V 1\n" + CUDA)
        self.value("t.cu")
        size = os.path.getsize(self.entries()[0])
        stranger = os.path.join(self.cache, "stranger")
        with open(stranger, "w", encoding="utf-8") as file:
            file.write("not ours")
        self.environment["LOCKSTEP_CACHE_SIZE"] = "1M"
        self.assertIn(f"entries  1\nsize     {size:,} bytes\nlimit    1,048,576 bytes", self.run_it("cache").stdout)
        self.environment["LOCKSTEP_CACHE_SIZE"] = "0"
        self.assertIn("in use   no: LOCKSTEP_CACHE_SIZE is 0\nentries  1\n", self.run_it("cache").stdout)
        self.assertEqual(self.run_it("cache", "--clear").stdout, f"removed 1 entry, {size:,} bytes, from {self.cache}\n")
        self.assertEqual(os.listdir(self.cache), ["stranger"])
        for words in [["x"], ["--clear", "x"], ["--all"]]:
            result = self.run_it("cache", *words)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1))
        self.assertIn("lockstep cache [--clear]", self.run_it("cache", "--help").stdout)
        for name in ["XDG_CACHE_HOME", "HOME", "LOCKSTEP_CACHE_SIZE"]:
            self.environment.pop(name, None)
        self.assertIn("in use   no: neither XDG_CACHE_HOME nor HOME", self.run_it("cache").stdout)

    # ---- A compiler that cannot run ----

    def limited(self, source, limit, value):
        """The last line of the message when there is too little of something; none when it is enough."""
        result = self.run_it("kernel", source, "--kernel-list", f"-DN={self.folder}{limit}.{value}",
                             preexec_fn=lambda: resource.setrlimit(limit, (value, value)))
        self.assertIn(result.returncode, (0, 2), result)
        if not result.returncode:
            return None
        last = result.stderr.splitlines()[-1]
        self.assertRegex(last, f"^{source}: (no room for a file in memory: |cannot run |cannot open|/\\S+ (was ended by|failed without)|clang could not compile it)[^,]*")
        self.assertTrue("messages are above" not in last or result.stderr.count("\n") > 1, result.stderr)
        return last

    def test_reasons(self):
        """Whatever is scarce, the message says what."""
        self.write("t.cu", "#define V 1\n" + CUDA)
        self.write("t.cl", "#define V 1\nkernel void k(global int *a) { *a = V; }\n")
        self.environment["XDG_CACHE_HOME"] = SHARED
        sources = ["t.cu", "t.cl"] if self.run_it("kernel", "t.cl", "--kernel-list").returncode == 0 else ["t.cu"]
        for source in sources:
            lines = []
            for limit, values in [(resource.RLIMIT_NOFILE, (4, 5, 6, 8, 10, 12, 14, 16)), (resource.RLIMIT_FSIZE, (0, 1000))]:
                for value in values:
                    with self.subTest(source=source, limit=limit, value=value):
                        lines.append(self.limited(source, limit, value))
            for reason in ["Too many open files", "File too large"]:
                self.assertTrue(any(line and f"no room for a file in memory: {reason}" in line for line in lines), lines)

    def test_silent_compiler(self):
        self.write("t.cu", "#define V 1\n" + CUDA)
        for text, expected in [("exit 1", "failed without a message"), ("kill -9 $$", "was ended by a signal: Killed")]:
            self.environment["LOCKSTEP_CLANG"] = self.write("compiler", f"#!/bin/sh\n{text}\n")
            os.chmod(self.environment["LOCKSTEP_CLANG"], 0o755)
            result = self.run_it("kernel", "t.cu", "--kernel-list")
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
            self.assertIn(f"t.cu: {self.environment['LOCKSTEP_CLANG']} {expected}", result.stderr)


if __name__ == "__main__":
    if not HAS_CLANG:
        print("skipped: no clang")
        sys.exit(77)
    unittest.main()
