#!/usr/bin/env python3
"""Compares the symbols of our CUDA libraries with all that CUDA's headers declare and its libcudart.so has, and the versions of
driver_forms.def with cudaTypedefs.h.

cuda_names.py FOLDER OF OUR LIBRARIES [CUDA'S FOLDER]: exits with 77 where CUDA is not installed, since its headers are not ours to
have here."""

import os
import re
import subprocess
import sys

HEADERS = ("cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h", "cudaProfiler.h")
# Declared for Windows only; and a name that cuda.h makes of another name for one expression.
NO_SYMBOLS = {"cuWGLGetDevice", "cuGetProcAddress_v2_ptsz"}
FORMS = os.path.join(os.path.dirname(__file__), "../../src/host/cuda/driver_forms.def")


def symbols(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    return {re.split("@", line.split()[2])[0] for line in lines}


def header(folder, name):
    with open(os.path.join(folder, "include", name), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def driver_names(folder):
    names = set()
    for text in (header(folder, name) for name in HEADERS):
        names |= set(re.findall(r"CUresult\s+CUDAAPI\s+(cu[A-Z]\w*)\s*\(", text))
        for name, kind, of in re.findall(r"#\s*define\s+(cu[A-Z]\w*)\s+(?:__CUDA_API_PT(SZ|DS)\()?(cu[A-Z]\w*)", text):
            names |= {name, of} | ({f"{of}_pt{kind.lower()}"} if kind else set())
    return names - NO_SYMBOLS


def runtime_names(folder):
    library = os.path.join(folder, "lib64", "libcudart.so.13")
    return {name for name in symbols(library) if name.startswith(("cuda", "__cuda"))} if os.path.exists(library) else set()


def wrong_versions(folder, names):
    """Rows whose version is not the one of that form in cudaTypedefs.h, where forms have no numbers: the k-th version is form k."""
    versions = {}
    for name, version in re.findall(r"\*PFN_(cu\w+?)_v(\d+)\)", header(folder, "cudaTypedefs.h")):
        versions.setdefault(name, set()).add(int(version))
    with open(FORMS, encoding="utf-8") as file:
        rows = {form: int(version) for form, version in re.findall(r"^SINCE\((\w+), (\d+)\)", file.read(), re.M)}
    wrong = []
    for name, all_of in versions.items():
        forms = [name] + [f"{name}_v{k}" for k in range(2, 9) if f"{name}_v{k}" in names]
        for form, version in zip(forms[1:], sorted(all_of)[1:]):
            if version > 4000 and rows.get(form) != version:
                wrong.append(f"SINCE({form}, {version})")
    return wrong


def main():
    ours, folder = sys.argv[1], (sys.argv[2:] or ["/usr/local/cuda"])[0]
    if not os.path.exists(os.path.join(folder, "include", "cuda.h")):
        print(f"not compared: no CUDA in {folder}")
        sys.exit(77)
    names = driver_names(folder)
    missing = {"libcuda.so.1": names, "libcudart.so.13": runtime_names(folder)}
    failed = False
    for library, wanted in missing.items():
        absent = sorted(wanted - symbols(os.path.join(ours, library)))
        failed |= bool(absent)
        print(f"{library}: {len(wanted)} names, {len(absent)} of them absent: {' '.join(absent)}")
    wrong = wrong_versions(folder, names)
    print(f"driver_forms.def: {len(wrong)} rows are not so: {' '.join(wrong)}")
    sys.exit(1 if failed or wrong else 0)


if __name__ == "__main__":
    main()
