#!/usr/bin/env python3
"""The plug-in of docs/plugins.md, as a user would make it: nothing but the installed headers, in a folder of its own, by the line that the text gives.

    tests/plugin.py BUILD    BUILD: the build folder whose headers are installed"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import run_kernels

SOURCE = os.path.join("examples", "plugin", "youngest.c")   # as the text's line has it
EXAMPLE = os.path.join(run_kernels.ROOT, SOURCE)
KERNEL = ["bench/hashtab.ptx", "--kernel", "hash_insert", "--grid", "16", "--block", "128", "--arg", "buf:keys:u32:4096:random=7", "--arg", "s32:4096",
          "--arg", "buf:locks:u32:64:zero", "--arg", "buf:heads:s32:64:fill=-1", "--arg", "buf:pool:u32:8192:zero", "--arg", "u32:63", "--arg", "s32:2048"]


def blocks(text):
    """The indented blocks of a page."""
    return re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.M)


def run(*options):
    return subprocess.run([run_kernels.LOCKSTEP, "kernel", *KERNEL, *options], capture_output=True, text=True, cwd=run_kernels.ROOT, timeout=60)


def compile_line(page):
    lines = [line.strip()[2:] for block in blocks(page) for line in block.splitlines() if line.strip().startswith("$ cc ")]
    assert len(lines) == 1, f"docs/plugins.md has {len(lines)} lines that compile"
    return lines[0]


def build(line, folder, headers):
    """Runs the line there; pkg-config finds the headers where they were installed."""
    found = glob.glob(os.path.join(headers, "**", "pkgconfig"), recursive=True)
    assert len(found) == 1, f"pkgconfig folders: {found}"
    # The sanitizers of a build that is under test are not for the compiler.
    environment = {**{k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}, "PKG_CONFIG_PATH": found[0]}
    made = subprocess.run(["sh", "-c", line + " -Wall -Wextra -Werror"], capture_output=True, text=True, cwd=folder, env=environment)
    assert made.returncode == 0, made.stderr
    return os.path.join(folder, "youngest.so")


def check_run(plugin):
    """It runs, decides, and leaves the same table as ours: each key is in it once."""
    reports = {}
    for name in ("youngest", "gto"):
        result = run("--plugin", plugin, "--scheduler", name, "--report", "json", "--dump", "heads")
        assert result.returncode == 0, result.stderr
        reports[name] = json.loads(result.stdout)
        assert reports[name]["configuration"]["policy.scheduler"] == name
        assert reports[name]["configuration"]["run.plugins"] == [plugin]
    cycles = [report["launches"][0]["cycles"] for report in reports.values()]
    assert cycles[0] != cycles[1], f"as gto's: {cycles}"
    heads = [report["buffers"]["heads"] for report in reports.values()]
    assert all(-1 not in list_of for list_of in heads), "empty buckets"
    vectors = [json.loads(vector_add(plugin, name).stdout)["buffers"]["c"] for name in ("youngest", "gto")]
    assert vectors[0] == vectors[1] and len(set(vectors[0])) > 1000
    listed = subprocess.run([run_kernels.LOCKSTEP, "policies", "scheduler", f"--plugin={plugin}"], capture_output=True, text=True, timeout=60)
    assert re.search(r"^scheduler +youngest +greedy then youngest", listed.stdout, re.M) and re.search(r"^scheduler +gto ", listed.stdout, re.M), listed
    text = run("--plugin", plugin, "--scheduler", "youngest").stdout
    assert "policy.scheduler=youngest" in text.splitlines()[0], text[:200]


def vector_add(plugin, scheduler):
    words = ["bench/vecadd.ptx", "--kernel", "vecadd", "--grid", "16", "--block", "128", "--arg", "buf:a:f32:2048:random=1,0,4", "--arg", "buf:b:f32:2048:random=2,0,4",
             "--arg", "buf:c:f32:2048:zero", "--arg", "s32:2048", "--dump", "c", "--report", "json", "--plugin", plugin, "--scheduler", scheduler]
    return subprocess.run([run_kernels.LOCKSTEP, "kernel", *words], capture_output=True, text=True, cwd=run_kernels.ROOT, timeout=60)


def check_refused(line, folder, headers, source):
    with open(os.path.join(folder, SOURCE), "w", encoding="utf-8") as file:
        file.write(source.replace("LOCKSTEP_PLUGIN_VERSION", "LOCKSTEP_PLUGIN_VERSION - 1"))
    result = run("--plugin", build(line, folder, headers), "--scheduler", "youngest")
    assert result.returncode == 2 and result.stderr.count("\n") == 1 and "compile it anew" in result.stderr, result.stderr
    assert not result.stdout


def main():
    with open(os.path.join(run_kernels.ROOT, "docs", "plugins.md"), encoding="utf-8") as file:
        page = file.read()
    with open(EXAMPLE, encoding="utf-8") as file:
        source = file.read()
    assert "".join("    " + line if line.strip() else line for line in source.splitlines(True)) in page, "docs/plugins.md shows another youngest.c"
    line = compile_line(page)
    with tempfile.TemporaryDirectory() as headers, tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", sys.argv[1], "--component", "plugin", "--prefix", headers], check=True, stdout=subprocess.DEVNULL)
        os.makedirs(os.path.dirname(os.path.join(folder, SOURCE)))
        shutil.copy(EXAMPLE, os.path.join(folder, SOURCE))
        check_run(build(line, folder, headers))
        check_refused(line, folder, headers, source)
    print("the plug-in of docs/plugins.md works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
