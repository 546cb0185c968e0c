#!/usr/bin/env python3
"""examples/notebook.ipynb: its cells give the outputs that are committed with it.

    tests/notebook.py BUILD             by this interpreter alone; and by Jupyter's kernel, where nbclient and ipykernel are installed
    tests/notebook.py --accept BUILD    writes the outputs into the notebook

The outputs are those of the clang that scripts/packages names. With another one numbers may differ, and are not compared."""
import ast
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOTEBOOK = os.path.join(ROOT, "examples/notebook.ipynb")
SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
BY_KERNEL = """
import json, sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
print(json.dumps(notebook))
"""


def lines_of(text):
    return text.splitlines(keepends=True)


def run_cell(source, names, number):
    """The outputs of a cell, as a kernel would have them."""
    *body, last = ast.parse(source).body
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body + [last] * (not isinstance(last, ast.Expr)), []), "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = [{"name": "stdout", "output_type": "stream", "text": lines_of(printed.getvalue())}] if printed.getvalue() else []
    if value is not None:
        data = {kind: lines_of(getattr(value, method)()) for kind, method in SHOWN.items() if hasattr(value, method)}
        data["text/plain"] = lines_of(plain(value))
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def plain(value):
    """IPython breaks lists into lines, which nobody sees where there is HTML."""
    return "table" if isinstance(value, list) else repr(value)


def run(notebook):
    """The notebook with the outputs of its cells."""
    names, number = {"__name__": "__main__"}, 0
    notebook = json.loads(json.dumps(notebook))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"], cell["outputs"] = number, run_cell("".join(cell["source"]), names, number)
    return notebook


def outputs_of(notebook, is_exact):
    """What is compared: of each code cell, its texts."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            parts = output["data"] if "data" in output else {"stdout": output.get("text", output)}
            for kind, text in sorted(parts.items()):
                text = "".join(text) if isinstance(text, (str, list)) else str(text)
                text = "table" if kind == "text/plain" and text[:1] == "[" else text
                found.append((kind, text if is_exact else re.sub(r"[\d.,]+|[█▏▎▍▌▋▊▉]", "N", text)))
    return found


def compare(what, got, expected, is_exact):
    got, expected = outputs_of(got, is_exact), outputs_of(expected, is_exact)
    for mine, theirs in zip(got, expected):
        assert mine == theirs, f"{what}: {theirs[0]}: expected\n{theirs[1]}\ngot {mine[0]}\n{mine[1]}\ntests/notebook.py --accept takes it"
    assert len(got) == len(expected), f"{what}: {len(got)} outputs, expected {len(expected)}"


def by_kernel(environment):
    """The notebook as Jupyter's kernel runs it; None: it is not installed."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import nbclient, ipykernel"], capture_output=True, check=False).returncode == 0:
            with tempfile.TemporaryDirectory() as folder:
                result = subprocess.run([python, "-c", BY_KERNEL, NOTEBOOK], cwd=folder, capture_output=True, text=True, check=False,
                                        env={**environment, "HOME": folder, "IPYTHONDIR": folder, "JUPYTER_RUNTIME_DIR": folder})
            assert result.returncode == 0, result.stderr
            return json.loads(result.stdout.splitlines()[-1])
    return None


def main():
    accept, build = "--accept" in sys.argv, os.path.abspath(sys.argv[-1])
    os.environ["LOCKSTEP_LIBRARY"] = os.path.join(build, "liblockstep.so")
    sys.path.insert(0, os.path.join(ROOT, "python"))
    with open(NOTEBOOK, encoding="utf-8") as file:
        notebook = json.load(file)
    if not shutil.which("clang-14") and not shutil.which("clang"):
        print("skipped: clang is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:  # without files that are called as a cell calls its text
        os.chdir(folder)
        ran = run(notebook)
    if accept:
        with open(NOTEBOOK, "w", encoding="utf-8") as file:
            file.write(json.dumps(ran, indent=1, ensure_ascii=False) + "\n")
        return 0
    is_exact = shutil.which("clang-14") is not None
    compare("this interpreter", ran, notebook, is_exact)
    kernel = by_kernel({**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")})
    if kernel:
        compare("Jupyter's kernel", kernel, notebook, is_exact)
    print(f"{len(outputs_of(notebook, True))} outputs{' of this interpreter and of a kernel' if kernel else ''} are as committed{'' if is_exact else ', but for numbers'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
