"""The library by ctypes: functions as in include/lockstep.h, in its order; where the members of structs lie, it says itself."""
import ctypes
import glob
import os

from ._errors import ArgumentTypeError, ArgumentValueError, Error

VERSION = "0.2"  # of the library, in whose name it is: its structs may be others in the next

Pointer, Text, Size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
U32, U64, Enum, Bool = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int, ctypes.c_bool
Progress = ctypes.CFUNCTYPE(None, Pointer, U64, U64, U64, U64)
Print = ctypes.CFUNCTYPE(None, Pointer, Pointer, Size)  # the text has no end of its own


class Failure(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 1024)]


class Member(ctypes.Structure):
    _fields_ = [("structure", Text), ("name", Text), ("type", Text), ("offset", Size), ("bytes", Size), ("structure_bytes", Size)]


class Window(ctypes.Structure):
    _fields_ = [("from", U64), ("to", U64)]


class Cores(ctypes.Structure):
    _fields_ = [("first", U32), ("last", U32)]


TYPES = {
    "size_t": Size, "uint32_t": U32, "uint64_t": U64, "bool": Bool, "const char *": Text, "const char *const *": ctypes.POINTER(Text),
    "struct lockstep_window": Window, "const struct lockstep_cores *": ctypes.POINTER(Cores), "const volatile sig_atomic_t *": ctypes.POINTER(ctypes.c_int)}
CALLED_BACK = {"progress": Progress, "print": Print}
FUNCTIONS = {
    "lockstep_layout": (Bool, Size, ctypes.POINTER(Member)),
    "lockstep_check_word": (Text, Size, ctypes.POINTER(U32)),
    "lockstep_open": (Pointer, Pointer, ctypes.POINTER(Failure)),
    "lockstep_close": (None, Pointer),
    "lockstep_compile": (Pointer, Text, Text, Text, ctypes.POINTER(Pointer), ctypes.POINTER(Failure)),
    "lockstep_load": (Pointer, Pointer, Text, Pointer, ctypes.POINTER(Failure)),
    "lockstep_kernel_count": (Size, Pointer),
    "lockstep_kernel_name": (Text, Pointer, Size),
    "lockstep_kernel_demangled": (Text, Pointer, Text),
    "lockstep_kernel_parameter": (Bool, Pointer, Text, Size, Pointer),
    "lockstep_kernel_needs": (Bool, Pointer, Text, Pointer, ctypes.POINTER(Failure)),
    "lockstep_allocate": (U64, Pointer, Size, Text),
    "lockstep_free": (Bool, Pointer, U64),
    "lockstep_write": (Bool, Pointer, U64, Pointer, Size, ctypes.POINTER(Failure)),
    "lockstep_read": (Bool, Pointer, Pointer, U64, Size, ctypes.POINTER(Failure)),
    "lockstep_map": (Pointer, Pointer, U64, Size),
    "lockstep_run": (Pointer, Pointer, Pointer, ctypes.POINTER(Failure)),
    "lockstep_end_trace": (Bool, Pointer, ctypes.POINTER(Failure)),
    "lockstep_forget": (None, Pointer, Pointer),
    "lockstep_report": (Text, Pointer),
    "lockstep_report_launch": (Text, Pointer, Pointer),
    "lockstep_gpu_name": (Text, Size),
    "lockstep_policy": (Bool, Size, Pointer),
}


def places_of_library():
    """Where the library may be: as LOCKSTEP_LIBRARY says, or above this file, as it is installed or built; else as the system finds it."""
    name = "liblockstep.so." + VERSION
    given = os.environ.get("LOCKSTEP_LIBRARY")
    if given:
        return [given]
    folder = os.path.dirname(os.path.realpath(__file__))
    places = [os.path.join(folder, "prefix/lib", name)]  # of a wheel
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        for pattern in ("", "lib", "lib64", "lib/*-linux-*", "build/release"):
            places += sorted(glob.glob(os.path.join(glob.escape(folder), pattern, name)))
    return places + [name]


def load_library():
    library = None
    for place in places_of_library():
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as problem:
            why = problem
    if not library:
        raise ImportError(f"lockstep: {why}; LOCKSTEP_LIBRARY may name the file")
    for name, (result, *arguments) in FUNCTIONS.items():
        if not hasattr(library, name):
            raise ImportError(f"lockstep: {place} is another version's, expected {VERSION}: it has no {name}")
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def type_of(member):
    """The member's type; of an array, an array."""
    text, name, size = member.type.decode(), member.name.decode(), member.bytes
    kind = CALLED_BACK.get(name) or TYPES.get(text) or (Pointer if text.endswith("*") else Enum if text.startswith("enum ") else ctypes.c_char)
    return kind if ctypes.sizeof(kind) == size else kind * (size // ctypes.sizeof(kind))


def structs_of(library):
    """The library's structs as they lie in its memory, by name, and their members."""
    member, fields, k = Member(), {}, 0
    while library.lockstep_layout(k, ctypes.byref(member)):
        fields.setdefault(member.structure.decode(), []).append((member.name.decode(), type_of(member), member.offset, member.structure_bytes))
        k += 1
    structs = {name: type(name, (ctypes.Structure,), {"_fields_": [(member, kind) for member, kind, *_ in members]}) for name, members in fields.items()}
    for name, members in fields.items():
        for member, _, offset, whole in members:
            if getattr(structs[name], member).offset != offset or ctypes.sizeof(structs[name]) != whole:
                raise ImportError(f"lockstep: member {member} of the library's struct {name} is not of the type that this module takes it for")
    return structs


library = load_library()
OptionsStruct, LaunchStruct, NeedsStruct, ParameterStruct, PolicyStruct = map(
    structs_of(library).__getitem__, ("lockstep_options", "lockstep_launch", "lockstep_needs", "lockstep_parameter", "lockstep_policy"))
free = ctypes.CDLL(None).free
free.argtypes = [Pointer]


def call(name, *arguments):
    """A function whose last argument is what went wrong, when it gives null or false."""
    failure = Failure()
    result = getattr(library, name)(*arguments, ctypes.byref(failure))
    if not result:
        raise Error(failure.message.decode(errors="replace"))
    return result


def take(address):
    """The text at an address from malloc, which is freed; None where there is none."""
    if not address:
        return None
    text = ctypes.string_at(address)
    free(address)
    return text


def to_bytes(text):
    if not isinstance(text, (str, bytes, os.PathLike)):
        raise ArgumentTypeError(f"{text!r}: expected a text or a path, not {type(text).__name__}")
    text = os.fsencode(text)
    if b"\0" in text:
        raise ArgumentValueError("a text with a NUL in it, expected one without")
    return text
