#!/usr/bin/env python3
"""The wheel that scripts/wheel builds, installed by pip without a network in a fresh environment: its tag, the module, the command.

    tests/wheel.py BUILD

Ends with 77, which is to skip it, where the back end, patchelf, or venv with pip is not installed."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODULE = """
import array, lockstep
out = array.array("I", [0] * 4)
launch = lockstep.run("k.ptx", 1, 4, [out])
assert out.tolist() == [0, 1, 2, 3] and launch["outcome"] == "completed", out
assert "v100" in lockstep.gpus()
print(lockstep.__file__, lockstep._library.library._name)
"""
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


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(*words, cwd=None, status=0):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LOCKSTEP", "PYTHON", "PIP_", "LD_"))}
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=cwd, env={**environment, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
                            timeout=100, check=False)
    assert result.returncode == status, f"{' '.join(words)}: status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def check_tag(wheel, folder):
    """Every file asks for what the tag promises, or for what is in the wheel."""
    name = re.fullmatch(r"lockstep-\d+\.\d+\.\d+-py3-none-(?:manylinux_(\d+)_(\d+)_x86_64|linux_(\w+))\.whl", os.path.basename(wheel))
    assert name, wheel
    with zipfile.ZipFile(wheel) as archive:
        members = archive.namelist()
        archive.extractall(folder)
    wanted = ("bin/lockstep", "lib/liblockstep.so.0.2", "lib/lockstep/liblockstep-opencl.so", "lib/lockstep/cuda/libcudart.so.12", "lib/lockstep/cuda/libcudart.so.13",
              "lib/lockstep/cuda/liblockstep-static-cudart.so", "share/lockstep/gpus/v100.cfg", "share/lockstep/examples/sum.cu")
    assert {f"lockstep/prefix/{path}" for path in wanted} <= set(members), members
    assert not [path for path in members if "__pycache__" in path or path.endswith(".orig")], members
    binaries = [path for path in members if re.search(r"/bin/lockstep$|\.so(\.\d+)*$", path) and "libcuda.so" not in path]
    own = {os.path.basename(path) for path in binaries}
    for path in binaries:
        said = run("readelf", "-dW", "--dyn-syms", os.path.join(folder, path))
        for version in re.findall(r"@GLIBC_(\d+)\.(\d+)", said) if name[1] else ():
            assert tuple(map(int, version)) <= (int(name[1]), int(name[2])), (path, version)
        asked = set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))
        assert not name[1] or asked <= own | {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}, (path, asked)
        if asked & own:
            assert "$ORIGIN" in said, f"{path} has no way to the libraries beside it"
    for library in own - {"lockstep"}:
        assert library.startswith(("liblockstep", "libcudart")) or [m for m in members if "copyright-" in m], f"{library} has come without its licence"


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([sys.executable, os.path.join(ROOT, "scripts/wheel"), build, folder], capture_output=True, text=True, check=False)
        if "install-packages" in result.stderr:
            skip(result.stderr.strip())
        assert result.returncode == 0, result.stdout + result.stderr
        wheel, = glob.glob(os.path.join(folder, "lockstep-*.whl"))
        assert result.stdout.split()[-1] == wheel, result.stdout
        environment, away = os.path.join(folder, "environment"), os.path.join(folder, "away")
        os.makedirs(away)
        check_tag(wheel, os.path.join(folder, "unpacked"))
        for python in (sys.executable, "/usr/bin/python3"):
            made = subprocess.run([python, "-m", "venv", environment], capture_output=True, check=False).returncode == 0
            if made:
                break
        else:
            skip("python3 -m venv makes no environment with pip")
        run(os.path.join(environment, "bin/pip"), "install", "--no-index", wheel)
        with open(os.path.join(away, "k.ptx"), "w", encoding="utf-8") as file:
            file.write(KERNEL)
        places = run(os.path.join(environment, "bin/python"), "-c", MODULE, cwd=away).split()
        assert all(path.startswith(os.path.realpath(environment) + "/") for path in places), places
        command = os.path.join(environment, "bin/lockstep")
        assert run(command, "version").startswith("lockstep 0."), "version"
        driver, = glob.glob(os.path.join(environment, "lib/python3*/site-packages/lockstep/prefix/lib/lockstep/cuda/libcuda.so.1"))
        assert os.path.islink(driver) and os.path.samefile(driver, driver.replace("libcuda.so.1", "libcudart.so.13")), driver
        said = run(command, "kernel", "k.ptx", "--block", "4", "--arg", "buf:out:u32:4", "--dump", "out", cwd=away)
        assert re.search(r"0: 0 1 2 3$", said, re.M), said
        ran = [program for program in ("cuda/version_12", "cuda/version_13", "cuda/driver", "opencl/copies") if check_program(command, os.path.join(build, "host", program), away)]
        run(os.path.join(environment, "bin/pip"), "uninstall", "--yes", "lockstep")
        left = glob.glob(os.path.join(environment, "lib/python3*/site-packages/lockstep*"))
        assert not left and not os.path.exists(command), left
    print(f"{os.path.basename(wheel)} works; programs: {', '.join(ran) or 'none is built'}")


def check_program(command, program, folder):
    """Under `lockstep run`, with the drivers of the wheel."""
    if not os.path.exists(program):
        return False
    said = run(command, "run", "--gpu", "gtx480", "--mode", "functional", program, cwd=folder)
    assert "GPU gtx480" in said, said
    return True


main()
