#!/usr/bin/env python3
"""examples/ci/lockstep.yml and action.yml, as a runner of GitHub would do them: their steps in order, on this machine.

    tests/ci.py BUILD

Nothing is installed and nothing is uploaded: `apt-get` and `make` are stand-ins that write down what they are asked, the latter installing
BUILD; actions of others do what their stand-ins here say.  Where LOCKSTEP_SCHEMAS names a folder with github-workflows.json,
github-actions.json and sarif-schema-2.1.0.json (of SchemaStore and OASIS), the files are held against them, if jsonschema is installed.
Ends with 77, which is to skip it, without a reader of YAML or a loader of OpenCL."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    if sys.executable != "/usr/bin/python3" and subprocess.run(["/usr/bin/python3", "-c", "import yaml"], capture_output=True, check=False).returncode == 0:
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STAND_INS = {"apt-get": 'echo "apt-get $*" >>"$DONE"', "make": 'echo "make $*" >>"$DONE"; for word; do case $word in PREFIX=*) prefix=${word#PREFIX=};; esac; done\n'
             'PATH=$REAL_PATH cmake --install "$BUILD" --prefix "$prefix" >/dev/null'}


def load(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return yaml.safe_load(file)


class Job:
    """The steps of a job, or of an action within it, as a runner does them."""

    def __init__(self, folder, build, program):
        self.folder, self.program, self.uploaded, self.failed, self.outputs, self.used = folder, program, None, [], {}, []
        self.workspace, self.temp, tools = (os.path.join(folder, name) for name in ("workspace", "temp", "tools"))
        for path in (self.workspace, self.temp, tools):
            os.makedirs(path)
        for name, text in STAND_INS.items():
            with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(file.name, 0o755)
        self.path = f"{tools}:{os.environ['PATH']}"
        self.environment = {"HOME": self.temp, "DONE": os.path.join(folder, "done"), "BUILD": build, "REAL_PATH": os.environ["PATH"], "GITHUB_ACTIONS": "true",
                            "XDG_CACHE_HOME": os.path.join(build, "host/cache")}

    def value(self, text, inputs):
        """With the expressions in it."""
        known = {"github.action_path": ROOT, "runner.temp": self.temp, **{f"inputs.{name}": value for name, value in inputs.items()},
                 **{f"steps.{step}.outputs.{name}": value for (step, name), value in self.outputs.items()}}
        return re.sub(r"\$\{\{\s*([\w.]+)\s*\}\}", lambda match: known[match[1]], str(text))

    def wanted(self, step):
        """Its `if`: without one, as long as nothing has failed."""
        if "if" not in step:
            return not self.failed
        match = re.fullmatch(r"\$\{\{ !cancelled\(\) && steps\.(\w+)\.outputs\.(\w+) \}\}", step["if"])
        assert match, f"{step['if']}: this runner does not know it"
        return bool(self.outputs.get((match[1], match[2])))

    def script(self, step, inputs):
        files = {name: os.path.join(self.folder, name) for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for name in ("GITHUB_PATH", "GITHUB_OUTPUT"):
            open(files[name], "w", encoding="utf-8").close()
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"] if step.get("shell") == "bash" else ["sh", "-e", "-c"]
        given = {name: self.value(value, inputs) for name, value in step.get("env", {}).items()}
        result = subprocess.run([*shell, self.value(step["run"], inputs)], cwd=self.workspace, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
                                env={**self.environment, "PATH": self.path, **files, **given}, check=False)
        with open(files["GITHUB_PATH"], encoding="utf-8") as file:
            self.path = ":".join([*reversed(file.read().split()), self.path])
        with open(files["GITHUB_OUTPUT"], encoding="utf-8") as file:
            outputs = dict(line.split("=", 1) for line in file.read().splitlines())
        if result.returncode:
            self.failed.append((step.get("name"), result.returncode, result.stdout + result.stderr))
        return outputs

    def use(self, step, inputs):
        """An action; the outputs of ours."""
        name, given = step["uses"].split("@")[0], {key: self.value(value, inputs) for key, value in step.get("with", {}).items()}
        self.used.append(step["uses"])
        if name == "actions/checkout":
            shutil.copy(os.path.join(ROOT, "examples/tickets.c"), self.workspace)
        elif name == "github/codeql-action/upload-sarif":
            with open(os.path.join(self.workspace, given["sarif_file"]), encoding="utf-8") as file:
                self.uploaded = json.load(file)
        elif name == "OWNER/lockstep":
            return self.own_action({**given, "run": self.program})
        else:
            raise AssertionError(f"{name}: this runner does not know it")
        return {}

    def own_action(self, given):
        action = load("action.yml")
        unknown, missing = set(given) - set(action["inputs"]), {name for name, value in action["inputs"].items() if value.get("required")} - set(given)
        assert not unknown and not missing, (unknown, missing)
        self.steps(action["runs"]["steps"], {**{name: value.get("default", "") for name, value in action["inputs"].items()}, **given})
        return {name: self.value(output["value"], {}) for name, output in action["outputs"].items()}

    def steps(self, steps, inputs):
        for step in steps:
            if self.wanted(step):
                outputs = self.use(step, inputs) if "uses" in step else self.script(step, inputs)
                self.outputs.update({(step.get("id"), name): value for name, value in outputs.items()})


def hold_against_schemas(workflow, action, sarif):
    """The number of files that were held against a schema."""
    folder = os.environ.get("LOCKSTEP_SCHEMAS")
    try:
        import jsonschema
    except ImportError:
        folder = None
    if not folder:
        return 0
    pairs = (("github-workflows.json", workflow), ("github-actions.json", action), *(("sarif-schema-2.1.0.json", log) for log in sarif))
    for name, thing in pairs:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.validators.validator_for(schema)(schema).validate(thing)
    return len(pairs)


def check_sarif(log):
    """What GitHub asks of it beside the schema: a tool with rules, and a place in every result."""
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json"), log
    for run in log["runs"]:
        rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        for result in run["results"]:
            place = result["locations"][0]["physicalLocation"]
            assert result["ruleId"] in rules and result["message"]["text"] and place["artifactLocation"]["uri"] and place["region"]["startLine"] > 0, result
    return [result["ruleId"] for run in log["runs"] for result in run["results"]]


def run_job(workflow, build, program):
    with tempfile.TemporaryDirectory() as folder:
        job = Job(folder, build, program)
        steps, = [description["steps"] for description in workflow["jobs"].values()]
        job.steps(steps, {})
        with open(os.path.join(folder, "done"), encoding="utf-8") as file:
            done = file.read()
        with open(os.path.join(folder, "GITHUB_STEP_SUMMARY"), encoding="utf-8") as file:
            summary = file.read()
        assert f"make -C {ROOT} install PREFIX={job.temp}/lockstep" in done and "apt-get update" in done, done
    return job, summary


def main():
    build = os.path.abspath(sys.argv[1])
    if not shutil.which("cc") or not os.path.exists("/usr/include/CL/cl.h"):
        print("skipped: there is no C compiler, or no OpenCL to build the program with")
        return 77
    workflow, action = load("examples/ci/lockstep.yml"), load("action.yml")
    workflow["on"] = workflow.pop(True, workflow.get("on"))  # YAML 1.1 takes the word for a truth
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"} and action["runs"]["using"] == "composite"
    good, summary = run_job(workflow, build, "./tickets")
    assert not good.failed, good.failed
    assert check_sarif(good.uploaded) == [] and "240 of 240" not in summary and "1 launch of 1 kernel" in summary, summary
    bad, summary = run_job(workflow, build, "./tickets 'hasty'")
    assert [(name, status) for name, status, _ in bad.failed] == [("Run the program on the simulated GPU", 1)], bad.failed
    assert check_sarif(bad.uploaded) == ["race/host-without-wait"] and "host-without-wait" in summary, bad.uploaded
    assert good.used == ["actions/checkout@v4", "OWNER/lockstep@main", "github/codeql-action/upload-sarif@v3"], good.used
    held = hold_against_schemas(workflow, action, [good.uploaded, bad.uploaded])
    print(f"the workflow passes a good program, and reports a race of a bad one; {held} files held against schemas")
    return 0


if __name__ == "__main__":
    sys.exit(main())
