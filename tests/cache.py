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
        more.setdefault("env", self.environment)
        return subprocess.run([LOCKSTEP, *words], cwd=self.work, capture_output=True, text=True, check=False, **more)

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

    # ---- What is not kept ----

    def test_not_kept(self):
        """Names that macros make, in all forms, and the time; the result is right each time."""
        self.write("v.h", "#define V 1\n")
        for text in ['#define NAME "v.h"\n#include NAME\n',
                     '#include "v.h"\n#define NAME <x.h>\n#if __has_include(NAME)\n#endif\n',
                     '#include "v.h"\n#define HAS __has_include\n#if HAS("x.h")\n#undef V\n#define V 2\n#endif\n',
                     '#include "v.h"\n#define CAT(a, b) a##b\n#if CAT(__has_, include)("x.h")\n#undef V\n#define V 2\n#endif\n',
                     '#include "v.h"\nconst char when[] = __TIME__;\n',
                     '#include "v.h"\n#pragma GCC dependency "v.h"\n']:
            with self.subTest(text):
                self.write("t.cu", text + CUDA)
                self.assertEqual(self.value("t.cu"), 1)
                self.assertEqual(self.entries(), [])
        self.write("t.cu", '#include "v.h"\n' + CUDA)
        self.assertEqual(self.value("t.cu", "-D", "HAS=__has_include"), 1)
        self.environment["CCC_OVERRIDE_OPTIONS"] = "# +-DV=1"
        self.value("t.cu")
        self.assertEqual(self.entries(), [])

    def test_messages(self):
        """Only the compiler's own messages are shown, from the cache as at first."""
        self.write("t.cu", "#warning attention\n#define V 1\n" + CUDA)
        first, again = (self.run_it("kernel", "t.cu", "--arg", "buf:a:s32:1").stderr for _ in range(2))
        self.assertEqual(len(self.entries()), 1)
        self.assertEqual(again, first)
        self.assertIn("attention", first)
        self.assertNotIn("search", first)
        self.write("t.cu", "#error sorry\n")
        self.assertNotIn("search", self.run_it("kernel", "t.cu", "--arg", "buf:a:s32:1").stderr)


if __name__ == "__main__":
    if not HAS_CLANG:
        print("skipped: no clang")
        sys.exit(77)
    unittest.main()
