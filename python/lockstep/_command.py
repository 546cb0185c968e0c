"""The command `lockstep` of a wheel: becomes the program that lies in it."""
import os
import sys

PREFIX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prefix")


def link_driver():
    """CUDA's driver is another name of its runtime, as a copy would be a second GPU.  A wheel has no links, only a file in the link's place."""
    driver = os.path.join(PREFIX, "lib/lockstep/cuda/libcuda.so.1")
    if os.path.islink(driver):
        return
    link = f"{driver}.{os.getpid()}"
    try:
        os.symlink("libcudart.so.13", link)
        os.replace(link, driver)
    except OSError as problem:
        sys.stderr.write(f"lockstep: {driver}: {problem.strerror}; programs that call the CUDA driver do not start. "
                         "Run `lockstep version` once as the user who installed the wheel\n")


def main():
    program = os.path.join(PREFIX, "bin/lockstep")
    link_driver()
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"lockstep: {program}: {problem.strerror}; expected it in the package, as wheels have it")
