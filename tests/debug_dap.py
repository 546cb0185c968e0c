#!/usr/bin/env python3
"""`lockstep debug --dap` (docs/debug-dap.md) as a client sees it: a session forwards and backwards, on pipes and on sockets, and clients that
send what is no request, leave, or come second."""
import base64
import json
import os
import re
import socket
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(ROOT, "build/release/lockstep"))
SOURCE = os.path.join(ROOT, "tests/kernel/lock/back_off.ptx")
ARGUMENTS = ["--block", "32", "--grid", "2", "--arg", "buf:lock:u32:4:zero", "--arg", "buf:count:u32:4:zero", "--arg", "u32:3"]
PATIENCE = 120  # seconds: other tests run beside it


class Client:
    """One end of a session: requests, and the events that came in between."""

    def __init__(self, read, write):
        self.read, self.write, self.sent, self.events = read, write, 0, []

    def send(self, command, **arguments):
        self.sent += 1
        text = json.dumps({"seq": self.sent, "type": "request", "command": command, "arguments": arguments}).encode()
        self.write.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.write.flush()
        return self.sent

    def message(self):
        length = 0
        while (line := self.read.readline().strip()):
            name, value = line.split(b":")
            length = int(value) if name == b"Content-Length" else length
        return json.loads(self.read.read(length)) if length else None

    def response(self, number):
        while (message := self.message())["type"] == "event":
            self.events.append(message)
        assert message["request_seq"] == number, message
        return message

    def ask(self, command, **arguments):
        answer = self.response(self.send(command, **arguments))
        assert answer["success"], answer
        return answer.get("body")

    def event(self, name):
        while True:
            for k, message in enumerate(self.events):
                if message["event"] == name:
                    del self.events[k]
                    return message.get("body")
            message = self.message()
            assert message and message["type"] == "event", (name, message)
            self.events.append(message)

    def begin(self, **arguments):
        assert self.ask("initialize", adapterID="lockstep")["supportsStepBack"]
        self.ask("launch", **arguments)
        self.event("initialized")


def start(*options, kernel=True):
    words = ["kernel", SOURCE, *ARGUMENTS] if kernel else []
    return subprocess.Popen([LOCKSTEP, "debug", "--dap", *options, *words], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def on_pipes(**options):
    process = start("stdio", **options)
    return process, Client(process.stdout, process.stdin)


def ends(process, status=0):
    """What it has said, once it has ended by itself."""
    process.stdin.close()
    try:
        code = process.wait(PATIENCE)
    finally:
        process.kill()
    said = process.stderr.read().decode()
    assert code == status, (code, said)
    return said


def position(client):
    return int(re.match(r"position (\d+)", client.ask("evaluate", expression="where", context="repl")["result"]).group(1))


def check_session():
    process, client = on_pipes()
    client.begin()
    set_at = client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": 1}])["breakpoints"][0]
    assert set_at["verified"] and set_at["line"] > 1 and set_at["source"]["path"] == SOURCE, set_at
    client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[])
    refused = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "nothing"}])["breakpoints"][0]
    assert not refused["verified"] and refused["message"], refused
    lock = client.ask("dataBreakpointInfo", name="lock")
    watch = client.ask("setDataBreakpoints", breakpoints=[{"dataId": lock["dataId"]}])["breakpoints"][0]
    assert watch["verified"], watch
    client.ask("configurationDone")
    stopped = client.event("stopped")
    assert stopped["reason"] == "data breakpoint" and stopped["hitBreakpointIds"] == [watch["id"]], stopped
    client.ask("setDataBreakpoints", breakpoints=[])
    thread, at = stopped["threadId"], position(client)
    assert thread in [t["id"] for t in client.ask("threads")["threads"]]
    frames = client.ask("stackTrace", threadId=thread)["stackFrames"]
    assert frames[0]["source"]["path"] == SOURCE, frames
    scopes = {s["name"].split(" of ")[0]: s["variablesReference"] for s in client.ask("scopes", frameId=frames[0]["id"])["scopes"]}
    inside = {name: client.ask("variables", variablesReference=r)["variables"] for name, r in scopes.items()}
    assert len(inside["Lanes"]) == 32 and inside["Parameters"] and inside["Registers"], inside
    buffer = inside["Parameters"][0]
    assert client.ask("evaluate", expression=buffer["name"], frameId=frames[0]["id"], context="hover")["result"] == buffer["value"]
    memory = client.ask("readMemory", memoryReference=buffer["memoryReference"], count=64)
    assert len(base64.b64decode(memory["data"])) + memory["unreadableBytes"] == 64, memory
    code = client.ask("disassemble", memoryReference=frames[0]["instructionPointerReference"], instructionOffset=-2000, instructionCount=2003)
    assert len(code["instructions"]) == 2003 and code["instructions"][2000]["line"] == frames[0]["line"], code["instructions"][2000]
    # Forwards and back again.
    for granularity in "instruction", "line":
        client.ask("next", threadId=thread, granularity=granularity)
        assert client.event("stopped")["reason"] == "step"
        assert position(client) > at
    client.ask("evaluate", expression=f"goto {at}", context="repl")
    assert client.event("stopped")["reason"] == "goto" and position(client) == at
    client.ask("stepBack", threadId=thread, granularity="instruction")
    client.event("stopped")
    assert position(client) < at
    client.ask("reverseContinue", threadId=thread)
    client.event("stopped")
    assert position(client) == 1
    # To the end, of which one may go back, and past it.
    client.ask("continue", threadId=thread)
    assert client.event("stopped")["reason"] in ("end", "exception")
    client.ask("exceptionInfo", threadId=1)
    client.ask("stepBack", threadId=1)
    client.event("stopped")
    for event in "stopped", "exited":
        client.ask("continue", threadId=1)
        client.event(event)
    client.event("terminated")
    output = "".join(e["body"]["output"] for e in client.events if e["event"] == "output")
    client.ask("disconnect")
    assert process.wait(PATIENCE) in (0, 3), output


def check_launch():
    """The kernel comes with the request; a wrong one is refused, in words."""
    process, client = on_pipes(kernel=False)
    client.begin(program=SOURCE, args=ARGUMENTS, stopOnEntry=True)
    client.ask("configurationDone")
    assert client.event("stopped")["reason"] == "entry" and position(client) == 1
    client.ask("terminate")
    client.event("terminated")
    client.ask("disconnect")
    ends(process)
    process, client = on_pipes(kernel=False)
    client.ask("initialize")
    answer = client.response(client.send("launch", program="none.ptx"))
    assert not answer["success"] and "none.ptx" in answer["message"], answer
    client.event("terminated")
    client.ask("disconnect")
    ends(process, 2)


def check_wrong():
    process, client = on_pipes()
    client.begin()
    for name in "nonsense", "threads ":
        answer = client.response(client.send(name))
        assert not answer["success"] and "unknown request" in answer["message"], answer
    assert not client.response(client.send("scopes", frameId=99))["success"]
    client.ask("threads")
    client.write.close()  # it leaves without a word
    ends(process)
    for text in b"Hello\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 2\r\n\r\n{]", b"Content-Length: 2\r\n\r\n{}", b"Content-Length: 9\r\n\r\n{":
        process, client = on_pipes()
        client.write.write(text)
        client.write.flush()
        said = ends(process, 2)
        assert said.count("\n") == 1 and "expected" in said, (text, said)
    process = start("nowhere")
    assert "expected stdio, tcp:PORT or unix:PATH" in ends(process, 2)


def check_pause():
    """While the run goes on: another request does not stop it, `pause` does, and so does the end of the client."""
    process, client = on_pipes(kernel=False)
    client.begin(program=SOURCE, args=[*ARGUMENTS, "--grid", "4000"], stopOnEntry=True)
    client.ask("configurationDone")
    client.event("stopped")
    client.ask("continue", threadId=1)
    assert client.ask("threads")["threads"]
    assert not client.response(client.send("next", threadId=1))["success"]
    client.ask("pause", threadId=1)
    stopped = client.event("stopped")
    assert stopped["reason"] == "pause", stopped
    assert not [e for e in client.events if e["event"] == "stopped"]
    client.ask("continue", threadId=1)
    client.write.close()
    ends(process)


def check_sockets():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        for where, pattern in (f"unix:{path}", ".*"), ("tcp:0", r"listening on 127\.0\.0\.1:(\d+)"):
            process = start(where)
            line = process.stderr.readline().decode()
            found = re.search(pattern, line)

            def connect(found=found, where=where):
                family = socket.AF_UNIX if where.startswith("unix") else socket.AF_INET
                one = socket.socket(family, socket.SOCK_STREAM)
                one.settimeout(PATIENCE)
                one.connect(path if family == socket.AF_UNIX else ("127.0.0.1", int(found.group(1))))
                return one

            first = connect()
            client = Client(first.makefile("rb"), first.makefile("wb"))
            client.begin()
            second = connect()
            refused = Client(second.makefile("rb"), second.makefile("wb"))
            assert "another client" in refused.event("output")["output"]
            assert not refused.message()
            client.ask("threads")  # the first does not notice
            client.read.close()
            client.write.close()
            first.close()  # it dies
            ends(process)
            assert not os.path.exists(path)


check_session()
check_launch()
check_wrong()
check_pause()
check_sockets()
print("ok")
