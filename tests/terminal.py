"""What a command shows on a terminal."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

ERASE = "\r\033[J"  # before each text of the line that replaces itself; the cursor stays at its start


def on_terminal(command, columns=80, cwd=None, output=None, **variables):
    """Runs it on a terminal of that width, standard output elsewhere where `output` is given; returns its status and all that came."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment |= {"TERM": "xterm", **variables}
    with subprocess.Popen(command, cwd=cwd, stdout=output or terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        seen = b""
        try:
            while part := os.read(master, 4096):
                seen += part
        except OSError:  # its end
            pass
        os.close(master)
        return process.wait(60), seen.decode().replace("\r\n", "\n")


def shown(command, cwd=None, columns=80):
    """Standard output thrown away: the status, and the texts of its line, one after another, as each replaces the one before."""
    status, text = on_terminal(command, columns, cwd, subprocess.DEVNULL)
    return status, [part.rstrip("\r") for part in text.split(ERASE)]


def too_long(text, columns):
    """The lines that are wider, though they could be broken: their last word would fit on a row.  Lines of source stay whole."""
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in text.split("\n")]
    return [line for line in lines if len(line) > columns and not re.match(r"[ >]+\d+ \| ", line) and len(line.split()[-1]) <= columns // 2]
