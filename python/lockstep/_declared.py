"""The types with which the source declares a kernel's parameters; PTX itself has none of a pointer's elements.

They come from the mangled name of C++, from the lines that compiled OpenCL C has for the host, and for CUDA C with C's linkage from the
text of the source.  What is not understood is not known, and then nothing is checked."""
import re

NAMES = {"char": ("int", 1), "signed char": ("int", 1), "unsigned char": ("int", 1), "uchar": ("int", 1), "bool": ("int", 1), "_Bool": ("int", 1),
         "short": ("int", 2), "unsigned short": ("int", 2), "ushort": ("int", 2), "int": ("int", 4), "unsigned": ("int", 4), "unsigned int": ("int", 4),
         "uint": ("int", 4), "long": ("int", 8), "unsigned long": ("int", 8), "ulong": ("int", 8), "long long": ("int", 8), "unsigned long long": ("int", 8),
         "longlong": ("int", 8), "ulonglong": ("int", 8), "size_t": ("int", 8), "ptrdiff_t": ("int", 8), "half": ("float", 2), "__half": ("float", 2),
         "float": ("float", 4), "double": ("float", 8)}
NAMES.update({f"{sign}int{bits}_t": ("int", bits // 8) for sign in ("", "u") for bits in (8, 16, 32, 64)})
VECTOR = re.compile(r"(u?char|u?short|u?int|u?long|u?longlong|half|float|double)(2|3|4|8|16)$")
QUALIFIERS = re.compile(r"\b(?:const|volatile|restrict|__restrict__|__restrict|struct|global|__global|constant|__constant|local|__local|__grid_constant__)\b")


class Declared:
    """`text` as the source has it; `is_pointer`; of a pointer `element`, ("float", 4), or None, and `is_const`, what it points to."""

    def __init__(self, text, name=""):
        self.text, self.name, self.is_local = " ".join(text.split()), name, text.startswith("local ")
        before, star, after = self.text.rpartition("*")
        self.is_pointer = bool(star)
        self.is_const = self.is_pointer and "*" not in before and re.search(r"\b(const|constant|__constant)\b", before) is not None
        self.element = ("int", 8) if "*" in before else element_of(before if star else after)


def element_of(text):
    words = " ".join(QUALIFIERS.sub(" ", text).split())
    if re.fullmatch(r"(?:(?:unsigned|signed|short|long|int|char) ?)+", words):
        words = _standard(words.split())
    vector = VECTOR.fullmatch(words)
    return NAMES.get(vector[1] if vector else words)


def _standard(words):
    """unsigned long int, as "unsigned long"."""
    sign = "unsigned " if "unsigned" in words else ""
    rest = " ".join(word for word in words if word not in ("unsigned", "signed"))
    return sign + (rest.replace(" int", "") if rest not in ("", "int") else "int")


def split(text):
    """At the commas between parameters."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def _closing(text, at):
    """Behind the parenthesis that closes the one at `at`; 0: none does."""
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] == "(") - (text[k] == ")")
        if not depth:
            return k + 1
    return 0


def of_cpp(signature):
    """(name, parameters) of a demangled kernel: "void fill<int>(int*)" is fill<int>."""
    depth = 0
    for at in range(len(signature) - 1, -1, -1):
        depth += (signature[at] == ")") - (signature[at] == "(")
        if not depth:
            break
    name, depth = signature[:at], 0
    for k in range(len(name) - 1, -1, -1):  # a template's has the type of its result before it
        depth += (name[k] in ">)") - (name[k] in "<(")
        if name[k] == " " and not depth:
            name = name[k + 1:]
            break
    return name, [Declared(part) for part in split(signature[at + 1:-1])]


def of_opencl(ptx):
    """{kernel: parameters}, of the comments that src/compile/kernel_info.h describes."""
    kernels = {}
    for kernel, _, space, type_name, qualifiers, name in re.findall(
            r"^// lockstep\.arg (\S+) (\d+) (\S+) \S+ (\S+) (\S+) (\S+)$", ptx, re.M):
        const = "local " if space == "local" else "const " if "c" in qualifiers or space == "constant" else ""
        kernels.setdefault(kernel, []).append(Declared(const + type_name.replace("~", " "), "" if name == "-" else name))
    return kernels


def of_source(text, kernel):
    """Parameters of a kernel in CUDA C, where its text has one declaration of it; None: it has none, or different ones."""
    text, found = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S), []
    for match in re.finditer(rf"\b{re.escape(kernel)}\s*\(", text):
        end = _closing(text, match.end() - 1)
        if end and "__global__" in re.split(r"[;{}]|^\s*#[^\n]*", text[:match.start()], flags=re.M)[-1].replace('extern "C"', ""):
            found.append([_of_declaration(part) for part in split(text[match.end():end - 1])])
    if not found or any([p.text for p in other] != [p.text for p in found[0]] for other in found):
        return None
    return found[0]


def _of_declaration(text):
    """const float *__restrict__ x, float x[]: without the name."""
    text = text.split("=")[0].strip()
    name = re.search(r"(\w+)\s*((?:\[[^]]*\])*)$", text)
    if not name or name[1] in NAMES or QUALIFIERS.fullmatch(name[1]):
        return Declared(text)
    return Declared(text[:name.start()] + ("*" if name[2] else ""), name[1])
