"""GPU kernels on a simulated GPU: Lockstep's library for Python, by ctypes; nothing is built.

    import array, lockstep

    gpu = lockstep.GPU("v100", {"policy.scheduler": "lrr"})
    saxpy = gpu.load("saxpy.cu").kernel()
    launch = saxpy(x, y, 2.0, len(x), grid=16, block=256)      # x, y: numpy arrays, array.array, bytearray
    print(launch["outcome"], launch["cycles"], launch["findings"])

Mistakes of the caller are a lockstep.Error with the library's line.  What a kernel does wrong is not: it is in the report's
"outcome" and "findings".  docs/python.md is the manual, include/lockstep.h what the library does."""
import ctypes
import functools
import glob
import json
import numbers
import operator
import os
import re
import signal
import struct
import sys
import threading

__all__ = ["Buffer", "Error", "GPU", "Kernel", "Module", "gpus", "policies"]
VERSION = "0.2"  # of the library, in whose name it is: its structs may be others in the next


class Error(Exception):
    """What was asked for cannot be done; the text is the library's line, of a compilation behind the compiler's words."""


# ---- The library: functions as in include/lockstep.h, in its order; where the members of structs lie, it says itself ----

_Pointer, _Text, _Size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_U32, _U64, _Enum, _Bool = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int, ctypes.c_bool
_Progress = ctypes.CFUNCTYPE(None, _Pointer, _U64, _U64, _U64, _U64)
_Print = ctypes.CFUNCTYPE(None, _Pointer, _Pointer, _Size)  # the text has no end of its own


class _Failure(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 1024)]


class _Member(ctypes.Structure):
    _fields_ = [("structure", _Text), ("name", _Text), ("type", _Text), ("offset", _Size), ("bytes", _Size), ("structure_bytes", _Size)]


class _Window(ctypes.Structure):
    _fields_ = [("from", _U64), ("to", _U64)]


class _Cores(ctypes.Structure):
    _fields_ = [("first", _U32), ("last", _U32)]


_TYPES = {
    "size_t": _Size, "uint32_t": _U32, "uint64_t": _U64, "bool": _Bool, "const char *": _Text, "const char *const *": ctypes.POINTER(_Text),
    "struct lockstep_window": _Window, "const struct lockstep_cores *": ctypes.POINTER(_Cores), "const volatile sig_atomic_t *": ctypes.POINTER(ctypes.c_int)}
_CALLED_BACK = {"progress": _Progress, "print": _Print}
_FUNCTIONS = {
    "lockstep_layout": (_Bool, _Size, ctypes.POINTER(_Member)),
    "lockstep_check_word": (_Text, _Size, ctypes.POINTER(_U32)),
    "lockstep_open": (_Pointer, _Pointer, ctypes.POINTER(_Failure)),
    "lockstep_close": (None, _Pointer),
    "lockstep_compile": (_Pointer, _Text, _Text, _Text, ctypes.POINTER(_Pointer), ctypes.POINTER(_Failure)),
    "lockstep_load": (_Pointer, _Pointer, _Text, _Pointer, ctypes.POINTER(_Failure)),
    "lockstep_kernel_count": (_Size, _Pointer),
    "lockstep_kernel_name": (_Text, _Pointer, _Size),
    "lockstep_kernel_parameter": (_Bool, _Pointer, _Text, _Size, _Pointer),
    "lockstep_allocate": (_U64, _Pointer, _Size, _Text),
    "lockstep_free": (_Bool, _Pointer, _U64),
    "lockstep_write": (_Bool, _Pointer, _U64, _Pointer, _Size, ctypes.POINTER(_Failure)),
    "lockstep_read": (_Bool, _Pointer, _Pointer, _U64, _Size, ctypes.POINTER(_Failure)),
    "lockstep_run": (_Pointer, _Pointer, _Pointer, ctypes.POINTER(_Failure)),
    "lockstep_end_trace": (_Bool, _Pointer, ctypes.POINTER(_Failure)),
    "lockstep_forget": (None, _Pointer, _Pointer),
    "lockstep_report": (_Text, _Pointer),
    "lockstep_report_launch": (_Text, _Pointer, _Pointer),
    "lockstep_gpu_name": (_Text, _Size),
    "lockstep_policy": (_Bool, _Size, _Pointer),
}


def _places():
    """Where the library may be: as LOCKSTEP_LIBRARY says, or above this file, as it is installed or built; else as the system finds it."""
    name = "liblockstep.so." + VERSION
    given = os.environ.get("LOCKSTEP_LIBRARY")
    if given:
        return [given]
    places, folder = [], os.path.dirname(os.path.realpath(__file__))
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        for pattern in ("", "lib", "lib64", "lib/*-linux-*", "build/release"):
            places += sorted(glob.glob(os.path.join(glob.escape(folder), pattern, name)))
    return places + [name]


def _load_library():
    library = None
    for place in _places():
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as problem:
            why = problem
    if not library:
        raise ImportError(f"lockstep: {why}; LOCKSTEP_LIBRARY may name the file")
    for name, (result, *arguments) in _FUNCTIONS.items():
        if not hasattr(library, name):
            raise ImportError(f"lockstep: {place} is another version's, expected {VERSION}: it has no {name}")
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _type_of(member):
    """The member's type; of an array, an array."""
    text, name, size = member.type.decode(), member.name.decode(), member.bytes
    kind = _CALLED_BACK.get(name) or _TYPES.get(text) or (_Pointer if text.endswith("*") else _Enum if text.startswith("enum ") else ctypes.c_char)
    return kind if ctypes.sizeof(kind) == size else kind * (size // ctypes.sizeof(kind))


def _structs(library):
    """The library's structs as they lie in its memory, by name, and their members."""
    member, fields, k = _Member(), {}, 0
    while library.lockstep_layout(k, ctypes.byref(member)):
        fields.setdefault(member.structure.decode(), []).append((member.name.decode(), _type_of(member), member.offset, member.structure_bytes))
        k += 1
    structs = {name: type(name, (ctypes.Structure,), {"_fields_": [(member, kind) for member, kind, *_ in members]}) for name, members in fields.items()}
    for name, members in fields.items():
        for member, _, offset, whole in members:
            if getattr(structs[name], member).offset != offset or ctypes.sizeof(structs[name]) != whole:
                raise ImportError(f"lockstep: member {member} of the library's struct {name} is not of the type that this module takes it for")
    return structs


_library = _load_library()
_Options, _Launch, _Parameter, _Policy = map(_structs(_library).__getitem__, ("lockstep_options", "lockstep_launch", "lockstep_parameter", "lockstep_policy"))
_free = ctypes.CDLL(None).free
_free.argtypes = [_Pointer]


def _call(name, *arguments):
    """A function whose last argument is what went wrong, when it gives null or false."""
    failure = _Failure()
    result = getattr(_library, name)(*arguments, ctypes.byref(failure))
    if not result:
        raise Error(failure.message.decode(errors="replace"))
    return result


def _take(address):
    """The text at an address from malloc, which is freed; None where there is none."""
    if not address:
        return None
    text = ctypes.string_at(address)
    _free(address)
    return text


def _bytes(text):
    text = os.fsencode(text)
    if b"\0" in text:
        raise Error("a text with a NUL in it, expected one without")
    return text


# ---- Lists ----

def gpus():
    """The names of the GPU models."""
    names = []
    while (name := _library.lockstep_gpu_name(len(names))) is not None:
        names.append(name.decode())
    return names


def policies():
    """What can be swapped: {kind: {name: what it is}}; GPU(settings={"policy.KIND": NAME}) chooses one."""
    policy, found, k = _Policy(), {}, 0
    while _library.lockstep_policy(k, ctypes.byref(policy)):
        found.setdefault(policy.kind.decode(), {})[policy.name.decode()] = policy.summary.decode()
        k += 1
    return found


# ---- Arguments ----

def _scalar(value):
    """A number as Python's own, also of numpy's."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    return value if isinstance(value, (numbers.Real, bool)) else None


def _pack(value, parameter, where):
    """A number as the bytes of a parameter."""
    kind, bits = parameter.type.decode(), 8 * parameter.size
    whole = isinstance(value, numbers.Integral)
    if kind[0] == "f" or kind[0] == "b" and not whole:
        try:
            return struct.pack({2: "<e", 4: "<f", 8: "<d"}[parameter.size], value)
        except (KeyError, OverflowError):
            raise Error(f"{where}: {value} is no {kind} of {parameter.size} bytes") from None
    if not whole:
        raise Error(f"{where}: expected a whole number for {kind}, not {value}")
    if not -1 << bits - 1 <= value < 1 << bits:
        raise Error(f"{where}: {value} does not fit into {kind} of {parameter.size} bytes")
    return (int(value) & (1 << bits) - 1).to_bytes(parameter.size, "little")


class _Memory:
    """The bytes of an object that has them side by side: an array of any kind."""

    def __init__(self, thing, where):
        try:
            with memoryview(thing) as view:
                self.size, self.writable, contiguous = view.nbytes, not view.readonly, view.c_contiguous
        except TypeError:
            raise Error(f"{where}: expected a number, an array (numpy, array.array, bytearray, bytes) or a Buffer, not {type(thing).__name__}") from None
        if not contiguous:
            raise Error(f"{where}: expected an array whose elements lie side by side, in C's order")
        if self.writable and self.size:
            self.at = (ctypes.c_char * self.size).from_buffer(thing)
        else:
            self.at = ctypes.create_string_buffer(bytes(thing), self.size + 1)


class Buffer:
    """Memory of the GPU that stays from launch to launch: GPU.buffer makes one."""

    def __init__(self, gpu, size, name):
        self.gpu, self.size, self.name = gpu, size, name
        self.address = _library.lockstep_allocate(gpu._handle(), max(size, 1), _bytes(name))
        if not self.address:
            raise Error(f"{name}: {size} bytes do not fit in what is left of memory.size")

    def _place(self, offset, size):
        if not self.address:
            raise Error(f"{self.name}: has been freed")
        if offset < 0 or offset + size > self.size:
            raise Error(f"{self.name}: bytes {offset} to {offset + size} are not in its {self.size}")
        return self.address + offset

    def write(self, thing, offset=0):
        """Copies an array, or bytes, to the GPU."""
        memory = _Memory(thing, self.name)
        place = self._place(offset, memory.size)
        if memory.size:
            _call("lockstep_write", self.gpu._handle(), place, memory.at, memory.size)

    def read(self, into=None, offset=0):
        """Fills an array from the GPU, and returns it; without one: all bytes from `offset` on."""
        into = bytearray(self.size - offset) if into is None else into
        memory = _Memory(into, self.name)
        if not memory.writable:
            raise Error(f"{self.name}: expected an array that can be written to")
        place = self._place(offset, memory.size)
        if memory.size:
            _call("lockstep_read", self.gpu._handle(), memory.at, place, memory.size)
        return into

    def free(self):
        """Gives the memory back; kernels that use it from now on make a fault."""
        if self.address and self.gpu._gpu:
            _library.lockstep_free(self.gpu._handle(), self.address)
        self.address = 0


# ---- Modules and kernels ----

class Kernel:
    """A kernel of a module.  Called, it is launched: the arguments in order, and grid=, block=, shared=."""

    def __init__(self, module, name):
        self.module, self.name, self.parameters = module, name, []
        while _library.lockstep_kernel_parameter(module._at, name.encode(), len(self.parameters), ctypes.byref(parameter := _Parameter())):
            self.parameters.append(parameter)

    def _where(self, k):
        name = self.parameters[k].name.decode()
        return f"argument {k + 1} of '{self.name}'" + ("" if "_param_" in name else f" ('{name}')")

    def _buffer_name(self, k):
        name = self.parameters[k].name.decode()
        return f"argument {k + 1}" if "_param_" in name else name

    def _value(self, k, thing, made):
        """The bytes of the k-th parameter; arrays get a buffer, the same one for the same array, in `made`."""
        parameter, where = self.parameters[k], self._where(k)
        number = _scalar(thing)
        if number is not None:
            return _pack(number, parameter, where)
        if isinstance(thing, Buffer):
            thing._place(0, 0)
            address = thing.address
        elif parameter.type[:1] == b"b" and parameter.size not in (4, 8) or parameter.type == b"b8" and parameter.size > 1:
            memory = _Memory(thing, where)  # a structure
            if memory.size != parameter.size:
                raise Error(f"{where}: expected {parameter.size} bytes, not {memory.size}")
            return memory.at.raw[:memory.size]
        else:
            if id(thing) not in made:
                memory = _Memory(thing, where)
                made[id(thing)] = Buffer(self.module.gpu, memory.size, self._buffer_name(k)), thing, memory.writable
                made[id(thing)][0].write(thing)
            address = made[id(thing)][0].address
        if parameter.type[:1] == b"f" or parameter.size != 8 and (parameter.size != 4 or address >> 32):
            raise Error(f"{where}: is a {parameter.type.decode()} of {parameter.size} bytes, and no pointer: expected a number")
        return address.to_bytes(parameter.size, "little")

    def _parameters(self, arguments, made):
        if len(arguments) != len(self.parameters):
            listed = ", ".join(p.type.decode() + ("" if b"_param_" in p.name else " " + p.name.decode()) for p in self.parameters)
            raise Error(f"kernel '{self.name}' has {len(self.parameters)} parameters ({listed}), not {len(arguments)}")
        block = bytearray(max((p.offset + p.size for p in self.parameters), default=0))
        for k, thing in enumerate(arguments):
            place = self.parameters[k].offset
            block[place:place + self.parameters[k].size] = self._value(k, thing, made)
        return block

    def __call__(self, *arguments, grid=1, block=1, shared=0):
        """Runs it to its end, and returns what launches[] of the report has of it, with "findings", as a dict.  Arrays are copied to the GPU
        before, and what the kernel left there back into those that can be written to."""
        made = {}
        try:
            values = self._parameters(arguments, made)
            launch = _Launch(size=ctypes.sizeof(_Launch), module=self.module._at, kernel=self.name.encode(), grid=_shape("grid", grid), block=_shape("block", block),
                             shared_bytes=_shared(shared), parameters=ctypes.addressof(ctypes.c_char.from_buffer(values)) if values else None,
                             parameter_bytes=len(values))
            report = self.module.gpu._run(launch)
            for buffer, thing, writable in made.values():
                if writable:
                    buffer.read(thing)
            return report
        finally:
            for buffer, _, _ in made.values():
                buffer.free()


def _shape(what, given):
    """A number, or up to three."""
    try:
        sizes = tuple(int(size) for size in ((given,) if isinstance(given, numbers.Integral) else given))
    except (TypeError, ValueError):
        sizes = ()
    if not 1 <= len(sizes) <= 3 or not all(0 <= size < 1 << 32 for size in sizes):
        raise Error(f"{what}={given!r}: expected a number, or up to three of them")
    return (_U32 * 3)(*(sizes + (1, 1))[:3])


def _shared(given):
    if not isinstance(given, numbers.Integral) or not 0 <= given < 1 << 32:
        raise Error(f"shared={given!r}: expected a number of bytes")
    return int(given)


class Module:
    """What has been loaded from one file or text."""

    def __init__(self, gpu, at, log):
        self.gpu, self._at = gpu, at
        self.log = log  # what the compiler said, or ""
        self.names = [_library.lockstep_kernel_name(at, k).decode() for k in range(_library.lockstep_kernel_count(at))]

    def kernel(self, name=None):
        """The kernel of that name, as the PTX or as C++ has it; without a name the only one."""
        found = [n for n in self.names if name in (None, n) or n.startswith(f"_Z{len(name)}{name}")]
        if name in found:
            found = [name]
        if len(found) != 1:
            wanted = f"no kernel '{name}'" if name and not found else f"{len(found)} kernels"
            raise Error(f"{wanted}, expected the name of one: {', '.join(self.names) or 'there is none'}")
        return Kernel(self, found[0])


# ---- GPUs ----

_MODES = {"mode": ("timing", "functional"), "on_fault": ("stop", "continue")}
_TEXTS = ("check", "trace", "trace_window", "trace_cores", "schedule")
_NO_NUMBERS = ("size", "check", "explain_limit", "trace_core_count")  # what the caller says otherwise
_NUMBERS = {name: 8 * ctypes.sizeof(kind) for name, kind in _Options._fields_ if kind in (_U32, _U64) and name not in _NO_NUMBERS}


def _check(text):
    """The bits of the words of --check."""
    words, bits, k = {}, _U32(), 0
    while word := _library.lockstep_check_word(k, ctypes.byref(bits)):
        words[word.decode()], k = bits.value, k + 1
    given = text.split(",")
    if not words.keys() >= set(given):
        *others, last = words
        raise Error(f"check '{text}': expected {', '.join(others)} or {last}")
    return functools.reduce(operator.or_, map(words.get, given))


def _window(text):
    """FROM:TO."""
    found = re.fullmatch(r"([0-9]*):([0-9]*)", text)
    begin, end = (int(found[1] or 0), int(found[2] or (1 << 64) - 1)) if found else (0, 0)
    if not begin < end < 1 << 64:
        raise Error(f"trace window '{text}': expected FROM:TO, cycles of the GPU's clock, one of which may be left out")
    return _Window(begin, end)


def _cores(text):
    """A list such as 0,2-3."""
    found = [re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part) for part in text.split(",")]
    ranges = [(int(part[1]), int(part[2] or part[1])) for part in found if part]
    if not all(found) or not all(first <= last < 1 << 32 for first, last in ranges):
        raise Error(f"trace cores '{text}': expected cores such as 0,3 or 0-3")
    return (_Cores * len(ranges))(*ranges)


_WORDS = {"check": _check, "trace_window": _window, "trace_cores": _cores}


def _list(texts):
    return (_Text * (len(texts) + 1))(*map(_bytes, texts), None)


def _option(name, value):
    """A keyword of GPU as the field of that name."""
    if name in _MODES:
        if value not in _MODES[name]:
            raise Error(f"{name}={value!r}: expected {' or '.join(map(repr, _MODES[name]))}")
        return _MODES[name].index(value)
    if name in _NUMBERS:
        if not isinstance(value, numbers.Integral) or not 0 <= value < 1 << _NUMBERS[name]:
            raise Error(f"{name}={value!r}: expected a whole number from 0 on")
        return int(value)
    if name in ("weak", "profile"):
        return int(bool(value))
    if name in _TEXTS:
        return _WORDS.get(name, _bytes)(os.fsdecode(value))
    if name == "observe":
        return _list([value] if isinstance(value, str) else list(value))
    if name == "explain_limit":
        return (1 << 64) - 1 if value == 0 else _option("hang_after", value)
    raise Error(f"GPU has no '{name}', expected one of: {', '.join([*_MODES, *_NUMBERS, *_TEXTS, 'weak', 'profile', 'observe', 'explain_limit'])}")


class GPU:
    """A simulated GPU with its memory.

    name       a model, of gpus(), or a file
    settings   {"dram.channels": 3, "policy.scheduler": "lrr"}, or ["dram.channels=3", ...]
    plugins    shared objects with policies
    print      gets what kernels print, as text; default: sys.stdout
    and those of the command's options that are named in docs/python.md: mode="functional", check="races", profile=True, seed=7 ..."""

    def __init__(self, name="gtx480", settings=(), plugins=(), print=None, **options):
        self._gpu = None
        pairs = [f"{key}={value}" for key, value in settings.items()] if hasattr(settings, "items") else list(settings)
        fields = {key: _option(key, value) for key, value in options.items() if value is not None}
        fields.update(trace_core_count=len(fields.get("trace_cores", ())))
        self._print, self._problem, self._stop = print, None, ctypes.c_int(0)
        self._kept = _Print(self._printed), _Progress(lambda *_: None)  # Python's handler of a signal runs within a call of Python's
        self._options = _Options(size=ctypes.sizeof(_Options), gpu=_bytes(name), settings=_list(pairs), plugins=_list([os.fspath(p) for p in plugins]),
                                 interrupt=ctypes.pointer(self._stop), progress=self._kept[1], print=self._kept[0], **fields)
        self._gpu = _call("lockstep_open", ctypes.byref(self._options))

    def _printed(self, _, text, length):
        try:
            (self._print or sys.stdout.write)(ctypes.string_at(text, length).decode(errors="replace"))
        except BaseException as problem:  # nothing gets through C: it is raised when the launch has ended
            self._problem = self._problem or problem
            self._stop.value = 1

    def _handle(self):
        if not self._gpu:
            raise Error("the GPU has been closed")
        return self._gpu

    def load(self, file, text=None, options=None):
        """PTX, CUDA C (FILE.cu) or OpenCL C (FILE.cl), from a file, or from a text that is called so.  `options` are the compiler's:
        "-DN=4 -Iinclude"."""
        log, failure = _Pointer(), _Failure()
        file = _bytes(file)
        ptx = _library.lockstep_compile(file, None if text is None else _bytes(text), None if options is None else _bytes(options),
                                        ctypes.byref(log), ctypes.byref(failure))
        said = (_take(log.value) or b"").decode(errors="replace")
        if not ptx:
            line = failure.message.decode(errors="replace")
            raise Error(line if said.startswith("lockstep: ") else said + line)
        name = file + b".ptx" if file.endswith((b".cu", b".cl")) else file
        try:
            return Module(self, _call("lockstep_load", self._handle(), name, ptx), said)
        finally:
            _free(ptx)

    def buffer(self, thing, name="buffer"):
        """Memory for as many bytes, which are 0, or with what an array holds; `name` is for findings."""
        if isinstance(thing, numbers.Integral):
            if not 0 <= thing < 1 << 63:
                raise Error(f"{name}: {thing} is no number of bytes")
            return Buffer(self, int(thing), name)
        buffer = Buffer(self, _Memory(thing, name).size, name)
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
            result = _call("lockstep_run", self._handle(), ctypes.byref(launch))
        finally:
            if before is signal.default_int_handler:
                signal.signal(signal.SIGINT, before)
        if self._problem:
            raise self._problem
        if asked:
            raise KeyboardInterrupt
        return json.loads(_library.lockstep_report_launch(self._handle(), result))

    def report(self):
        """Of all launches, as `lockstep kernel --report json` writes it: json.dump it, for `lockstep report` and `lockstep compare`."""
        return json.loads(_library.lockstep_report(self._handle()))

    def close(self):
        """Frees everything, and completes the trace; Error when it could not be written."""
        gpu, self._gpu = self._gpu, None
        if not gpu:
            return
        try:
            _call("lockstep_end_trace", gpu)
        finally:
            _library.lockstep_close(gpu)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_gpu", None):
            _library.lockstep_close(self._gpu)
            self._gpu = None
