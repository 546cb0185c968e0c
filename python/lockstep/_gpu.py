"""GPUs, their memory, modules, and launches of kernels."""
import ctypes
import functools
import json
import numbers
import operator
import os
import re
import signal
import sys
import threading

from . import _declared
from ._arguments import Memory, check_address, check_array, pack, scalar, shape, shared_bytes
from ._errors import ArgumentTypeError, ArgumentValueError, Error
from ._library import U32, U64, Cores, Failure, LaunchStruct, NeedsStruct, OptionsStruct, ParameterStruct, PolicyStruct, Pointer, Print, Progress, Text, Window, \
    call, free, library, take, to_bytes
from ._report import Launch, Report


def gpus():
    """The names of the GPU models."""
    names = []
    while (name := library.lockstep_gpu_name(len(names))) is not None:
        names.append(name.decode())
    return names


def policies():
    """What can be swapped: {kind: {name: what it is}}; GPU(settings={"policy.KIND": NAME}) chooses one."""
    policy, found, k = PolicyStruct(), {}, 0
    while library.lockstep_policy(k, ctypes.byref(policy)):
        found.setdefault(policy.kind.decode(), {})[policy.name.decode()] = policy.summary.decode()
        k += 1
    return found


class Buffer:
    """Memory of the GPU that stays from launch to launch: GPU.buffer makes one."""

    def __init__(self, gpu, size, name):
        self.gpu, self.size, self.name = gpu, size, name
        self.address = library.lockstep_allocate(gpu._handle(), max(size, 1), to_bytes(name))
        if not self.address:
            raise Error(f"{name}: {size} bytes do not fit in what is left of memory.size")

    def _place(self, offset, size):
        if not self.address:
            raise Error(f"{self.name}: has been freed")
        if offset < 0 or offset + size > self.size:
            raise ArgumentValueError(f"{self.name}: bytes {offset} to {offset + size} are not in its {self.size}")
        return self.address + offset

    def write(self, thing, offset=0):
        """Copies an array, or bytes, to the GPU."""
        memory = Memory(thing, self.name)
        place = self._place(offset, memory.size)
        if memory.size:
            call("lockstep_write", self.gpu._handle(), place, memory.at, memory.size)

    def read(self, into=None, offset=0):
        """Fills an array from the GPU, and returns it; without one: all bytes from `offset` on."""
        into = bytearray(self.size - offset) if into is None else into
        memory = Memory(into, self.name)
        if not memory.writable:
            raise ArgumentValueError(f"{self.name}: expected an array that can be written to")
        place = self._place(offset, memory.size)
        if memory.size:
            call("lockstep_read", self.gpu._handle(), memory.at, place, memory.size)
        return into

    def free(self):
        """Gives the memory back; kernels that use it from now on make a fault."""
        if self.address and self.gpu._gpu:
            library.lockstep_free(self.gpu._handle(), self.address)
        self.address = 0


# ---- Modules and kernels ----

LOCAL_ALIGNMENT = 128  # of the largest type of OpenCL C, long16


class _Placed(dict):
    """The buffers of a launch's arrays, by where these lie; and where its dynamic shared memory ends."""

    def __init__(self, kernel, shared):
        super().__init__()
        self.kernel, self.start, self.shared = kernel, None, shared

    def local(self, size):
        """The address of so many more bytes of it."""
        if self.start is None:
            needs = NeedsStruct(size=ctypes.sizeof(NeedsStruct))
            call("lockstep_kernel_needs", self.kernel.module._at, self.kernel.name.encode(), ctypes.byref(needs))
            self.start = needs.dynamic_offset
        address = -(-(self.start + self.shared) // LOCAL_ALIGNMENT) * LOCAL_ALIGNMENT
        self.shared = shared_bytes(address + size - self.start)
        return address


class Kernel:
    """A kernel of a module.  Called, it is launched: the arguments in order, and grid=, block=, shared=."""

    def __init__(self, module, name):
        self.module, self.name, self.parameters = module, name, []
        while library.lockstep_kernel_parameter(module._at, name.encode(), len(self.parameters), ctypes.byref(parameter := ParameterStruct())):
            self.parameters.append(parameter)
        self.title, self.declared = module._declared(name, len(self.parameters))  # as C++ has it without parameters; what the source declares

    def __repr__(self):
        return f"<lockstep.Kernel {self.title}({self._listed()})>"

    def _name(self, k):
        name = self.parameters[k].name.decode()
        return self.declared[k].name if self.declared else "" if "_param_" in name else name

    def _listed(self):
        types = [d.text for d in self.declared] if self.declared else [p.type.decode() for p in self.parameters]
        return ", ".join(f"{kind} {self._name(k)}".rstrip() for k, kind in enumerate(types))

    def _value(self, k, thing, made):
        """The bytes of the k-th parameter; arrays get a buffer, the same one for the same array, in `made`."""
        parameter, declared = self.parameters[k], self.declared[k] if self.declared else None
        where = f"argument {k + 1} of '{self.title}'" + (f" ('{self._name(k)}')" if self._name(k) else "")
        number = scalar(thing)
        if number is not None and declared and declared.is_local:
            if not isinstance(number, numbers.Integral) or number < 0:
                raise ArgumentValueError(f"{where}: is declared as {declared.text}; expected the bytes of local memory that it points to, not {number}")
            return made.local(int(number)).to_bytes(parameter.size, "little")
        if number is not None:
            check_address(number, declared, self.module.gpu._has, where)
            return pack(number, parameter, where)
        if isinstance(thing, Buffer):
            if thing.gpu is not self.module.gpu:
                raise ArgumentValueError(f"{where}: '{thing.name}' is a buffer of another GPU")
            thing._place(0, 0)
            address = thing.address
        elif parameter.type[:1] == b"b" and parameter.size not in (4, 8) or parameter.type == b"b8" and parameter.size > 1:
            memory = Memory(thing, where)  # a structure
            if memory.size != parameter.size:
                raise ArgumentValueError(f"{where}: expected {parameter.size} bytes, not {memory.size}")
            return memory.at.raw[:memory.size]
        else:
            memory = Memory(thing, where)
            check_array(memory, declared, where)
            address = self._buffer(k, thing, memory, where, made)
        if parameter.type[:1] == b"f" or parameter.size != 8 and (parameter.size != 4 or address >> 32):
            raise ArgumentTypeError(f"{where}: is a {parameter.type.decode()} of {parameter.size} bytes, and no pointer: expected a number")
        return address.to_bytes(parameter.size, "little")

    def _buffer(self, k, thing, memory, where, made):
        """The address of a buffer with what an array holds."""
        place = memory.place() or id(thing)
        if place not in made:
            for other in made if memory.place() else ():
                if isinstance(other, tuple) and place[0] < other[0] + other[1] and other[0] < place[0] + place[1]:
                    raise ArgumentValueError(f"{where}: the array shares a part of its memory with another argument's; expected the whole of it, or a copy")
            made[place] = Buffer(self.module.gpu, memory.size, self._name(k) or f"argument {k + 1}"), thing, memory.writable
            made[place][0].write(thing)
        return made[place][0].address

    def _parameters(self, arguments, made):
        if len(arguments) != len(self.parameters):
            raise ArgumentTypeError(f"kernel '{self.title}' has {len(self.parameters)} parameters ({self._listed()}), not {len(arguments)}")
        block = bytearray(max((p.offset + p.size for p in self.parameters), default=0))
        for k, thing in enumerate(arguments):
            place = self.parameters[k].offset
            block[place:place + self.parameters[k].size] = self._value(k, thing, made)
        return block

    def __call__(self, *arguments, grid=None, block=None, shared=0):
        """Runs it to its end, and returns what launches[] of the report has of it, with "findings".  Arrays are copied to the GPU
        before, and what the kernel left there back into those that can be written to."""
        for what, given, meaning in (("grid", grid, "the number of work-groups"), ("block", block, "the threads of a work-group")):
            if given is None:
                raise ArgumentTypeError(f"kernel '{self.title}': {what}= is missing; expected {meaning}: a number, or up to three of them")
        made, shapes = _Placed(self, shared_bytes(shared)), ((U32 * 3)(*shape("grid", grid)), (U32 * 3)(*shape("block", block)))
        try:
            values = self._parameters(arguments, made)
            launch = LaunchStruct(size=ctypes.sizeof(LaunchStruct), module=self.module._at, kernel=self.name.encode(), grid=shapes[0], block=shapes[1],
                                  shared_bytes=made.shared, parameters=ctypes.addressof(ctypes.c_char.from_buffer(values)) if values else None,
                                  parameter_bytes=len(values))
            report = Launch(self.module.gpu._run(launch), self.module.gpu.name, self.module._text())
            for buffer, thing, writable in made.values():
                if writable:
                    buffer.read(thing)
            return report
        finally:
            for buffer, _, _ in made.values():
                buffer.free()


class Module:
    """What has been loaded from one file or text."""

    def __init__(self, gpu, at, log, source, ptx):
        self.gpu, self._at, self._source = gpu, at, source  # file, and its text or None
        self._opencl = _declared.of_opencl(ptx)
        self.log = log  # what the compiler said, or ""
        self.names = [library.lockstep_kernel_name(at, k).decode() for k in range(library.lockstep_kernel_count(at))]

    def __repr__(self):
        return f"<lockstep.Module {self._source[0]}: {', '.join(self._declared(name)[0] for name in self.names) or 'no kernel'}>"

    def _text(self):
        """(file, its text), or None where it cannot be read."""
        file, text = self._source
        if text is None:
            try:
                with open(file, encoding="utf-8", errors="replace") as opened:
                    text = opened.read()
            except OSError:
                return None
            self._source = file, text
        return file, text

    def _declared(self, name, count=None):
        """The kernel's name as people write it, and the parameters as declared, where all `count` of them are known."""
        demangled = library.lockstep_kernel_demangled(self._at, name.encode())
        title, declared = _declared.of_cpp(demangled.decode()) if demangled else (name, self._opencl.get(name))
        text = self._text() if self._source[0].endswith(".cu") and count is not None else None
        written = text and _declared.of_source(text[1], title.split("<")[0].rpartition("::")[2])
        if declared and written and len(written) == len(declared):  # which has their names
            for known, other in zip(declared, written):
                known.name = other.name
        declared = declared or written
        return title, declared if declared and len(declared) == count else None

    def kernel(self, name=None):
        """The kernel of that name, as the PTX or as C++ has it; without a name the only one."""
        titles = {n: self._declared(n)[0] for n in self.names}
        found = [n for n, title in titles.items() if name in (None, n, title, title.split("<")[0], title.split("<")[0].rpartition("::")[2])]
        if name in found:
            found = [name]
        if len(found) != 1:
            wanted = f"no kernel '{name}'" if name and not found else f"{len(found)} kernels"
            known = [n if list(titles.values()).count(title) > 1 else title for n, title in titles.items()]
            raise ArgumentValueError(f"{wanted}, expected the name of one: {', '.join(known) or 'there is none'}")
        return Kernel(self, found[0])


# ---- GPUs ----

_MODES = {"mode": ("timing", "functional"), "on_fault": ("stop", "continue")}
_TEXTS = ("check", "trace", "trace_window", "trace_cores", "schedule")
_NO_NUMBERS = ("size", "check", "explain_limit", "trace_core_count")  # what the caller says otherwise
_NUMBERS = {name: 8 * ctypes.sizeof(kind) for name, kind in OptionsStruct._fields_ if kind in (U32, U64) and name not in _NO_NUMBERS}


def _check(text):
    """The bits of the words of --check."""
    words, bits, k = {}, U32(), 0
    while word := library.lockstep_check_word(k, ctypes.byref(bits)):
        words[word.decode()], k = bits.value, k + 1
    given = text.split(",")
    if not words.keys() >= set(given):
        *others, last = words
        raise ArgumentValueError(f"check '{text}': expected {', '.join(others)} or {last}")
    return functools.reduce(operator.or_, map(words.get, given))


def _window(text):
    """FROM:TO."""
    found = re.fullmatch(r"([0-9]*):([0-9]*)", text)
    begin, end = (int(found[1] or 0), int(found[2] or (1 << 64) - 1)) if found else (0, 0)
    if not begin < end < 1 << 64:
        raise ArgumentValueError(f"trace window '{text}': expected FROM:TO, cycles of the GPU's clock, one of which may be left out")
    return Window(begin, end)


def _cores(text):
    """A list such as 0,2-3."""
    found = [re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part) for part in text.split(",")]
    ranges = [(int(part[1]), int(part[2] or part[1])) for part in found if part]
    if not all(found) or not all(first <= last < 1 << 32 for first, last in ranges):
        raise ArgumentValueError(f"trace cores '{text}': expected cores such as 0,3 or 0-3")
    return (Cores * len(ranges))(*ranges)


_WORDS = {"check": _check, "trace_window": _window, "trace_cores": _cores}


def _list(texts):
    return (Text * (len(texts) + 1))(*map(to_bytes, texts), None)


def _option(name, value):
    """A keyword of GPU as the field of that name."""
    if name in _MODES:
        if value not in _MODES[name]:
            raise ArgumentValueError(f"{name}={value!r}: expected {' or '.join(map(repr, _MODES[name]))}")
        return _MODES[name].index(value)
    if name in _NUMBERS:
        if not isinstance(value, numbers.Integral) or not 0 <= value < 1 << _NUMBERS[name]:
            raise ArgumentValueError(f"{name}={value!r}: expected a whole number from 0 on")
        return int(value)
    if name in ("weak", "profile"):
        return int(bool(value))
    if name in _TEXTS:
        return _WORDS.get(name, to_bytes)(os.fsdecode(value))
    if name == "observe":
        return _list([value] if isinstance(value, str) else list(value))
    if name == "explain_limit":
        return (1 << 64) - 1 if value == 0 else _option("hang_after", value)
    raise ArgumentTypeError(f"GPU has no '{name}', expected one of: {', '.join([*_MODES, *_NUMBERS, *_TEXTS, 'weak', 'profile', 'observe', 'explain_limit'])}")


class GPU:
    """A simulated GPU with its memory.

    name       a model, of gpus(), or a file
    settings   {"dram.channels": 3, "policy.scheduler": "lrr"}, or ["dram.channels=3", ...]
    plugins    shared objects with policies
    print      gets what kernels print, as text; default: sys.stdout
    and those of the command's options that are named in docs/python.md: mode="functional", check="races", profile=True, seed=7 ..."""

    def __init__(self, name="gtx480", settings=(), plugins=(), print=None, **options):
        self._gpu, self.name, self._found = None, os.fsdecode(to_bytes(name)), []  # findings of each launch
        for what, given in (("settings", settings), ("plugins", plugins)):
            if isinstance(given, (str, bytes, os.PathLike)):  # which is a list of its letters
                raise ArgumentTypeError(f"{what}={given!r}: expected a list, [{given!r}]")
        if print is not None and not callable(print):
            raise ArgumentTypeError(f"print={print!r}: expected a function that takes a text")
        pairs = [f"{key}={value}" for key, value in settings.items()] if hasattr(settings, "items") else list(settings)
        fields = {key: _option(key, value) for key, value in options.items() if value is not None}
        fields.update(trace_core_count=len(fields.get("trace_cores", ())))
        self._print, self._problem, self._stop = print, None, ctypes.c_int(0)
        self._kept = Print(self._printed), Progress(lambda *_: None)  # Python's handler of a signal runs within a call of Python's
        self._options = OptionsStruct(size=ctypes.sizeof(OptionsStruct), gpu=to_bytes(name), settings=_list(pairs), plugins=_list(plugins),
                                      interrupt=ctypes.pointer(self._stop), progress=self._kept[1], print=self._kept[0], **fields)
        self._gpu = call("lockstep_open", ctypes.byref(self._options))

    def _printed(self, _, text, length):
        try:
            (self._print or sys.stdout.write)(ctypes.string_at(text, length).decode(errors="replace"))
        except BaseException as problem:  # nothing gets through C: it is raised when the launch has ended
            self._problem = self._problem or problem
            self._stop.value = 1

    def _has(self, address):
        """Whether it is in an allocation, or just past the end of one."""
        return 0 < address < 1 << 64 and any(library.lockstep_map(self._handle(), place, 1) for place in (address, address - 1))

    def _handle(self):
        if not self._gpu:
            raise Error("the GPU has been closed")
        return self._gpu

    def load(self, file, text=None, options=None):
        """PTX, CUDA C (FILE.cu) or OpenCL C (FILE.cl), from a file, or from a text that is called so.  `options` are the compiler's:
        "-DN=4 -Iinclude"."""
        log, failure = Pointer(), Failure()
        file = to_bytes(file)
        ptx = library.lockstep_compile(file, None if text is None else to_bytes(text), None if options is None else to_bytes(options),
                                        ctypes.byref(log), ctypes.byref(failure))
        said = (take(log.value) or b"").decode(errors="replace")
        if not ptx:
            line = failure.message.decode(errors="replace")
            raise Error(line if said.startswith("lockstep: ") else said + line)
        name = file + b".ptx" if file.endswith((b".cu", b".cl")) else file
        try:
            source = os.fsdecode(file), None if text is None else os.fsdecode(text)
            return Module(self, call("lockstep_load", self._handle(), name, ptx), said, source, ctypes.string_at(ptx).decode(errors="replace"))
        finally:
            free(ptx)

    def buffer(self, thing, name="buffer"):
        """Memory for as many bytes, which are 0, or with what an array holds; `name` is for findings."""
        if isinstance(thing, numbers.Integral):
            if not 0 <= thing < 1 << 63:
                raise ArgumentValueError(f"{name}: {thing} is no number of bytes")
            return Buffer(self, int(thing), name)
        buffer = Buffer(self, Memory(thing, name).size, name)
        buffer.write(thing)
        return buffer

    def _run(self, launch):
        """While it runs, Control-C ends it soon, and is raised then."""
        asked = []

        def stop(*_):
            asked.append(True)
            self._stop.value = 1

        self._stop.value, self._problem = 0, None
        before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, stop)
        try:
            result = call("lockstep_run", self._handle(), ctypes.byref(launch))
        finally:
            if before is signal.default_int_handler:
                signal.signal(signal.SIGINT, before)
        members = json.loads(library.lockstep_report_launch(self._handle(), result))
        self._found.append(len(members["findings"]))
        if self._problem:
            raise self._problem
        if asked:
            raise KeyboardInterrupt
        return members

    def report(self):
        """Of all launches, as `lockstep kernel --report json` writes it: json.dump it, for `lockstep report` and `lockstep compare`."""
        report = json.loads(library.lockstep_report(self._handle()))
        of_launch = [k for k, count in enumerate(self._found) for _ in range(count)]
        for finding, k in zip(report["findings"], of_launch):
            finding["launch"] = k  # as in reports of `lockstep run`
        return Report(report)

    def close(self):
        """Frees everything, and completes the trace; Error when it could not be written."""
        gpu, self._gpu = self._gpu, None
        if not gpu:
            return
        try:
            call("lockstep_end_trace", gpu)
        finally:
            library.lockstep_close(gpu)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_gpu", None):
            library.lockstep_close(self._gpu)
            self._gpu = None


def run(kernel, grid=None, block=None, args=(), *, shared=0, name=None, text=None, compile_options=None, gpu="gtx480", **options):
    """Launches a kernel once, and returns the Launch.

    kernel     a Kernel; or a file of PTX, CUDA C or OpenCL C, whose kernel `name` it is (without a name: its only one).  As for
               GPU.load, `text` is what the file holds, and `compile_options` are the compiler's
    gpu        a GPU; or the name of one that is made for this launch, with `options` as GPU has them"""
    if isinstance(args, (str, bytes)) or not isinstance(args, (list, tuple)):
        raise ArgumentTypeError(f"args={args!r}: expected a list of the kernel's arguments")
    if isinstance(kernel, Kernel):
        if options or name or text or compile_options or gpu != "gtx480":
            raise ArgumentTypeError("run: a Kernel has been loaded by its GPU; expected no name, text, compile_options, gpu or options beside it")
        return kernel(*args, grid=grid, block=block, shared=shared)
    if isinstance(gpu, GPU):
        if options:
            raise ArgumentTypeError(f"run: the GPU has been opened; expected no {', '.join(options)} beside it")
        return gpu.load(kernel, text, compile_options).kernel(name)(*args, grid=grid, block=block, shared=shared)
    with GPU(gpu, **options) as own:
        return own.load(kernel, text, compile_options).kernel(name)(*args, grid=grid, block=block, shared=shared)
