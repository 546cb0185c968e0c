"""What a command shows on a terminal as its standard error."""
import os
import pty
import subprocess


def shown(command, cwd=None):
    """Runs it, standard output thrown away; returns its status and the texts of its line, one after another, as each replaces the one before."""
    master, terminal = pty.openpty()
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=terminal) as process:
        os.close(terminal)
        seen = b""
        try:
            while part := os.read(master, 4096):
                seen += part
        except OSError:  # its end
            pass
        os.close(master)
        return process.wait(60), seen.decode().split("\r\033[K")
