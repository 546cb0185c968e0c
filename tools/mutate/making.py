"""Makes the mutants of C files: finds the places of the syntax tree that the operators apply to."""
import bisect
import glob
import hashlib
import importlib
import json
import os
import re
import shlex
import subprocess
import sys

import operators
import slip_places
import slips

PACKAGE = "python3-clang-14"
BINDINGS = "/usr/lib/python3/dist-packages/clang/cindex.py"
LIBRARIES = ["/usr/lib/llvm-14/lib/libclang.so.1", *sorted(glob.glob("/usr/lib/*/libclang-14.so*"))]


def load_clang():
    """The bindings, wherever this Python keeps its own packages, or None."""
    library = next((path for path in LIBRARIES if os.path.exists(path)), None)
    if not library or not os.path.exists(BINDINGS):
        return None
    sys.path.append(os.path.dirname(os.path.dirname(BINDINGS)))
    cindex = importlib.import_module("clang.cindex")
    sys.path.pop()
    cindex.Config.set_library_file(library)
    return cindex


class Mutant:
    """`edits` are (start, end, text, form): the bytes from start to end become text; what form means is in schemata.py."""

    def __init__(self, file, line, column, operator, edits, before, after):
        self.file, self.line, self.column, self.operator = file, line, column, operator
        self.edits, self.before, self.after = [tuple(e) for e in edits], before, after
        self.id = None

    def shown(self):
        return f"{self.file}:{self.line}:{self.column}  {self.operator}  {short(self.before)} -> {short(self.after) or 'nothing'}"


def short(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//[^\n]*|/\*.*?\*/', re.S)


def one_line(text):
    """C as one line, without comments; None where a preprocessor's line is in it."""
    text = TOKEN.sub(lambda m: " " if m[0][0] == "/" else m[0], text)
    if re.search(r"\n\s*#", text):
        return None
    return re.sub(r"\s*\n\s*", " ", text).strip()


class Place:
    """What an operator sees of a piece of the tree; which fields it has depends on its kind."""

    def __init__(self, text, **fields):
        self.text = text
        self.__dict__.update(fields)

    def allows(self, operator):
        """Whether the operands may have another operator: no arithmetic that pointers, floats or structs do not have."""
        left, right = self.types
        if operator in RELATIONS_AND_LOGIC or operator == "=":
            return True
        if "other" in self.types:
            return False
        if "pointer" in self.types:
            return operator in ("+", "-", "+=", "-=") and left == "pointer" and right != "pointer"
        return "float" not in self.types or operator.rstrip("=") in ("+", "-", "*", "/")

    def with_arguments(self, k, m):
        """The call with these two in each other's place."""
        texts = [argument.text for argument in self.arguments]
        texts[k], texts[m] = texts[m], texts[k]
        return f"{self.function}({', '.join(texts)})"


LABELLED = ("CASE_STMT", "DEFAULT_STMT", "LABEL_STMT")
RELATIONS_AND_LOGIC = set(operators.RELATIONAL) | set(operators.LOGICAL)


class Maker(slip_places.SlipPlaces):
    place, one_line = Place, staticmethod(one_line)

    def __init__(self, cindex, path, name, flags):
        with open(path, encoding="latin-1", newline="") as file:     # a character is a byte, as in libclang's offsets
            self.source = file.read()
        self.name, self.path, self.mutants = name, path, []
        self.kinds, self.types = cindex.CursorKind, cindex.TypeKind
        self.line_starts = [0] + [m.end() for m in re.finditer("\n", self.source)]
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        unit = cindex.Index.create().parse(path, args=flags, options=options)
        if any("file not found" in d.spelling for d in unit.diagnostics):   # with gcc comes libbacktrace; clang's own headers would take up gcc's
            unit = cindex.Index.create().parse(path, args=[*flags, "-idirafter", headers_of_gcc()], options=options)
        fatal = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if fatal:
            raise SystemExit(f"mutate: {fatal[0]}")
        self.find_macros(unit)
        self.handlers = {
            "BINARY_OPERATOR": self.binary, "COMPOUND_ASSIGNMENT_OPERATOR": self.binary, "UNARY_OPERATOR": self.unary,
            "INTEGER_LITERAL": self.literal, "FLOATING_LITERAL": self.literal, "CHARACTER_LITERAL": self.literal,
            "CALL_EXPR": self.call, "MEMBER_REF_EXPR": self.member, "DECL_REF_EXPR": self.name_of_value,
            "CONDITIONAL_OPERATOR": self.choice, "INIT_LIST_EXPR": self.initialiser,
            "COMPOUND_STMT": self.compound, "IF_STMT": self.if_statement, "WHILE_STMT": self.while_statement,
            "DO_STMT": self.do_statement, "FOR_STMT": self.for_statement, "SWITCH_STMT": self.switch_statement,
            **dict.fromkeys(LABELLED, self.labelled),
            "RETURN_STMT": self.return_statement, "BREAK_STMT": self.jump, "CONTINUE_STMT": self.jump, "GOTO_STMT": self.jump,
            "DECL_STMT": self.declaration,
            # Not evaluated, or constants that the language wants.
            "CXX_UNARY_EXPR": self.skip, "GENERIC_SELECTION_EXPR": self.skip, "ADDR_LABEL_EXPR": self.skip, "ASM_STMT": self.skip,
        }
        for cursor in unit.cursor.get_children():
            if cursor.kind.name == "FUNCTION_DECL" and cursor.is_definition() and cursor.location.file.name == path:
                self.result = self.class_of(cursor.result_type)
                self.loops, self.switches, self.last_of = [], [], set()
                self.function = cursor.spelling
                self.in_head, self.in_sum, self.written = False, False, set()
                for child in cursor.get_children():
                    if child.kind.name == "COMPOUND_STMT":
                        self.visit(child)
        # Expressions nest: what is mutated first on a line comes first.
        self.mutants.sort(key=lambda m: m.edits[0][:2])
        self.give_ids()

    def give_ids(self):
        seen = {}
        for mutant in self.mutants:
            stem = f"{mutant.file}:{mutant.line}:{mutant.column}:{mutant.operator}"
            seen[stem] = seen.get(stem, 0) + 1
            mutant.id = stem if seen[stem] == 1 else f"{stem}:{seen[stem]}"

    # ---- Where things are ----

    def find_macros(self, unit):
        """The uses of macros in the file: what comes out of one is not in the file's text."""
        ranges = []
        for cursor in unit.cursor.get_children():
            if cursor.kind.name == "MACRO_INSTANTIATION" and cursor.location.file and cursor.location.file.name == self.path:
                ranges.append((cursor.extent.start.offset, cursor.extent.end.offset))
        self.macros = []
        for start, end in sorted(ranges, key=lambda r: (r[0], -r[1])):
            if not self.macros or start >= self.macros[-1][1]:
                self.macros.append((start, end))

    def in_macro(self, start, end):
        k = bisect.bisect_right(self.macros, (start, float("inf"))) - 1
        return k >= 0 and end <= self.macros[k][1]

    def range(self, cursor):
        """Where a cursor's text is, or None when it is elsewhere: in a macro or an included file."""
        extent = cursor.extent
        start = extent.start
        if not start.file or start.file.name != self.path:
            return None
        return start.offset, extent.end.offset

    def text(self, cursor):
        return self.source[slice(*self.range(cursor))]

    def class_of(self, kind):
        name = kind.get_canonical().kind
        types = self.types
        if name == types.BOOL:
            return "bool"
        if name in (types.FLOAT, types.DOUBLE, types.LONGDOUBLE, types.HALF, types.FLOAT128):
            return "float"
        if name in (types.POINTER, types.INCOMPLETEARRAY, types.CONSTANTARRAY, types.VARIABLEARRAY):
            return "pointer"
        if name == types.ENUM or types.BOOL.value <= name.value <= types.INT128.value:
            return "integer"
        return "void" if name == types.VOID else "other"

    # ---- What is added ----

    def add(self, kind, bounds, place, form=""):
        """Applies every operator for this kind of place to the text between bounds."""
        if None in (place.text, getattr(place, "left", ""), getattr(place, "right", "")):
            return
        for name, applies_to, rewrite in operators.OPERATORS:
            if applies_to == kind and rewrite:
                for text in rewrite(place):
                    self.record(name, [(*bounds, text, form)], place.text, "" if text == "(void)0" else text)

    def record(self, operator, edits, before, after):
        start = edits[0][0]
        line = bisect.bisect_right(self.line_starts, start)
        self.mutants.append(Mutant(self.name, line, start - self.line_starts[line - 1] + 1, operator, edits, before, after))

    # ---- Walking: each function takes a cursor, and the role of an expression: value, condition, guard, step or statement ----

    def visit(self, cursor, role="value"):
        bounds = self.range(cursor)
        if not bounds or self.in_macro(*bounds):
            return
        if role in ("condition", "guard"):
            form = "truth" if self.class_of(cursor.type) == "pointer" else ""
            place = Place(one_line(self.source[slice(*bounds)]), guards=role == "guard", is_negated_elsewhere=self.negates_itself(cursor))
            self.add("condition", bounds, place, form)
            role = "value"
        handler = self.handlers.get(cursor.kind.name)
        if handler:
            handler(cursor, bounds, role)
        else:
            children = list(cursor.get_children())
            passes = cursor.kind.name == "UNEXPOSED_EXPR" and len(children) == 1
            for child in children:
                self.visit(child, role if passes else "value")

    def negates_itself(self, cursor):
        """Whether another operator makes the opposite of this condition: `==`, `!=` and `!`."""
        cursor = self.unwrapped(cursor)
        children = [self.range(c) for c in cursor.get_children()]
        if cursor.kind.name == "BINARY_OPERATOR" and all(children):
            return self.between(children[0][1], children[1][0]) in ("==", "!=")
        return cursor.kind.name == "UNARY_OPERATOR" and self.text(cursor).startswith("!")

    def skip(self, cursor, bounds, role):
        pass

    def unwrapped(self, cursor):
        """Without implicit conversions."""
        while cursor.kind.name == "UNEXPOSED_EXPR":
            children = list(cursor.get_children())
            if len(children) != 1:
                break
            cursor = children[0]
        return cursor

    def between(self, start, end):
        return (one_line(self.source[start:end]) or "").strip()

    def binary(self, cursor, bounds, role):
        children = list(cursor.get_children())
        ranges = [self.range(c) for c in children]
        if len(children) == 2 and all(ranges):
            operator = self.between(ranges[0][1], ranges[1][0])
            left, right = (one_line(self.source[slice(*r)]) for r in ranges)
            types = [self.class_of(c.type) for c in children]
            place = Place(one_line(self.source[slice(*bounds)]), operator=operator, left=left, right=right, types=types, callee="",
                          bounds_loop=self.in_head, within=self.function)
            is_assignment = operator in operators.ASSIGNMENTS
            if is_assignment or operator == "=":
                form = "void" if role in ("statement", "step") else ""
                if role == "statement":
                    self.add("statement", bounds, place, form)
                if is_assignment:
                    self.add("assignment", bounds, place, form)
                self.assigned(children[0], bounds, form)
                if left is not None and operator in ("=", "+=") and slips.is_time(left):
                    self.time(children[1])
            else:
                self.add("binary", bounds, place)
            self.sum_of_time(bounds, place, self.in_sum)
            outer, self.in_sum = self.in_sum, operator in ("+", "-")
            for child in children:
                self.visit(child)
            self.in_sum = outer
            return
        for child in children:
            self.visit(child)

    def unary(self, cursor, bounds, role):
        child = next(cursor.get_children(), None)
        inner = self.range(child) if child else None
        if not inner:
            return
        prefix = self.between(bounds[0], inner[0])
        operator = prefix or self.between(inner[1], bounds[1])
        place = Place(one_line(self.source[slice(*bounds)]), operator=operator, prefix=bool(prefix),
                      operand=one_line(self.source[slice(*inner)]), callee="")
        form = "void" if role in ("statement", "step") else ""
        if operator in operators.STEPS or operator == "&":
            self.written.add(self.range(self.unwrapped(child)))
        if operator in operators.STEPS and role == "statement":
            self.add("statement", bounds, place, form)
        if place.operand is not None and role != "step":     # a loop that steps the wrong way only takes time to notice
            self.add("unary", bounds, place, form)
        self.visit(child)

    def literal(self, cursor, bounds, role):
        text = self.source[slice(*bounds)]
        number = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9.]+)[uUlLfF]*", text)     # others are neither 0 nor 1, or characters
        value = number and (int(number[1], 16) if number[1][:2].lower() == "0x" else float(number[1]))
        self.add("literal", bounds, Place(text, value=value))

    def call(self, cursor, bounds, role):
        children, arguments = list(cursor.get_children()), list(cursor.get_arguments())
        function = self.range(children[0]) if children else None
        ranges = [self.range(a) for a in arguments]
        text = one_line(self.source[slice(*bounds)])
        form = "void" if role == "statement" else ""
        if role == "statement":
            self.add("statement", bounds, Place(text, callee=cursor.spelling), form)
        variadic = cursor.referenced is not None and cursor.referenced.type.kind == self.types.FUNCTIONPROTO and \
            cursor.referenced.type.is_function_variadic()
        if function and all(ranges) and not variadic and not cursor.spelling.startswith("__builtin_"):
            places = [Place(one_line(self.source[slice(*r)]), type=self.type_name(a)) for a, r in zip(arguments, ranges)]
            if all(p.text is not None for p in places) and len(set(ranges)) == len(ranges):
                self.times_given(cursor.referenced or cursor, arguments)
                place = Place(text, function=one_line(self.source[slice(*function)]), arguments=places)
                self.add("call", bounds, place, form)
        for child in children:
            self.visit(child)

    def type_name(self, cursor):
        return self.plain_type(self.unwrapped(cursor).type)

    def plain_type(self, kind):
        return re.sub(r"\bconst\b ?", "", kind.get_canonical().spelling).strip()

    def choice(self, cursor, bounds, role):
        for child, what in zip(cursor.get_children(), ("condition", "value", "value")):
            self.visit(child, what)

    def initialiser(self, cursor, bounds, role):
        if self.between(*bounds) not in ("{0}", "{ 0 }"):
            for child in cursor.get_children():
                if not self.designated(child):
                    self.visit(child)

    # ---- Statements ----

    def statement(self, cursor):
        self.visit(cursor, "statement")

    def compound(self, cursor, bounds, role):
        children = list(cursor.get_children())
        for first, second in zip(children, children[1:]):
            while first.kind.name in LABELLED:
                first = list(first.get_children())[-1]
            self.neighbours(self.unwrapped(first), self.unwrapped(second))
        for child in children:
            self.statement(child)

    def effects(self, cursor):
        """What an expression statement writes, as text ("" for a call), or None for any other statement; and whether it calls."""
        kind = cursor.kind.name
        if kind == "CALL_EXPR":
            return None if slips.GIVES_BACK.search(cursor.spelling) else ""
        children = list(cursor.get_children())
        if kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR") and len(children) == 2 and all(map(self.range, children)):
            operator = self.between(self.range(children[0])[1], self.range(children[1])[0])
            return one_line(self.text(children[0])) if operator == "=" or operator in operators.ASSIGNMENTS else None
        if kind == "UNARY_OPERATOR" and children and self.range(children[0]):
            return one_line(self.text(children[0])) if re.search(r"\+\+|--", self.text(cursor)) else None
        return None

    def neighbours(self, first, second):
        """Swaps two statements of which one may see what the other does."""
        bounds = [self.range(c) for c in (first, second)]
        if not all(bounds) or any(self.in_macro(*b) for b in bounds):
            return
        writes = [self.effects(c) for c in (first, second)]
        texts = [one_line(self.source[slice(*b)]) for b in bounds]
        if None in writes or None in texts or texts[0] == texts[1] or self.between(bounds[0][1], bounds[1][0]) != ";":
            return
        calls = [bool(re.search(r"\w\(", t)) and not operators.ALLOCATES.search(t) for t in texts]
        sees = [w and re.search(r"(?<![\w.>])" + re.escape(w) + r"(?!\w)", t) for w, t in zip(writes, reversed(texts))]
        if all(calls) or any(sees):
            edits = [(*b, t, "void") for b, t in zip(bounds, reversed(texts))]
            self.record("order", edits, "; ".join(texts), "; ".join(reversed(texts)))

    def if_statement(self, cursor, bounds, role):
        children = list(cursor.get_children())
        self.visit(children[0], "guard" if len(children) == 2 else "condition")
        for child in children[1:]:
            self.statement(child)

    def head(self, condition, by_one=True):
        self.in_head = bool(by_one)
        self.visit(condition, "condition")
        self.in_head = False

    def loop(self, body):
        self.loops.append(len(self.switches))
        self.statement(body)
        self.loops.pop()

    def while_statement(self, cursor, bounds, role):
        children = list(cursor.get_children())
        self.head(children[0])
        self.loop(children[-1])

    def do_statement(self, cursor, bounds, role):
        children = list(cursor.get_children())
        self.loop(children[0])
        self.head(children[-1])

    def for_statement(self, cursor, bounds, role):
        children = list(cursor.get_children())
        semicolons = self.semicolons(bounds[0])
        for child in children[:-1]:
            inner = self.range(child)
            if not inner:
                continue
            after = sum(s < inner[0] for s in semicolons)
            if after == 1:      # by larger steps one less may change nothing
                self.head(child, re.search(r"\+\+|--", self.source[semicolons[1]:self.range(children[-1])[0]]))
            else:
                self.visit(child, ("statement", "", "step")[after])
        self.loop(children[-1])

    def semicolons(self, start):
        """The two in the head of a `for` that starts here."""
        found, depth = [], 0
        text = TOKEN.sub(lambda m: " " * len(m[0]), self.source[start:])
        for match in re.finditer(r"[(){};]", text):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1, ";": 0}[match[0]]
            if match[0] == ";" and depth == 1:
                found.append(start + match.start())
            if depth == 0:
                break
        return found

    def switch_statement(self, cursor, bounds, role):
        children = list(cursor.get_children())
        self.visit(children[0])
        last = list(children[-1].get_children())
        if last:
            self.last_of.add(self.deepest(last[-1]))
        self.switches.append(len(self.loops))
        self.statement(children[-1])
        self.switches.pop()

    def deepest(self, cursor):
        """Where the last statement behind labels, or within braces, begins."""
        while cursor.kind.name in (*LABELLED, "COMPOUND_STMT"):
            children = list(cursor.get_children())
            if not children:
                break
            cursor = children[-1]
        return cursor.extent.start.offset

    def labelled(self, cursor, bounds, role):
        self.statement(list(cursor.get_children())[-1])      # not the label's value

    def jump(self, cursor, bounds, role):
        in_switch = bool(self.switches) and (not self.loops or self.loops[-1] < len(self.switches))
        place = Place("goto" if cursor.kind.name == "GOTO_STMT" else self.text(cursor).strip(), in_loop=bool(self.loops),
                      in_switch=in_switch, is_last=bounds[0] in self.last_of)
        self.add("jump", bounds, place, "jump")

    def return_statement(self, cursor, bounds, role):
        child = next(cursor.get_children(), None)
        if child is None:
            self.add("jump", bounds, Place("return", in_loop=False, in_switch=True, is_last=False), "jump")
            return
        inner = self.range(child)
        if inner and self.unwrapped(child).kind.name not in ("INTEGER_LITERAL", "FLOATING_LITERAL"):
            kind = self.class_of(child.type) if self.result == "void" else self.result
            named = self.unwrapped(child).referenced
            value = named.enum_value if named is not None and named.kind.name == "ENUM_CONSTANT_DECL" else None
            self.add("result", inner, Place(one_line(self.source[slice(*inner)]), type=kind, value=value, is_enumerator=value is not None))
        self.visit(child)

    def declaration(self, cursor, bounds, role):
        for variable in cursor.get_children():
            if variable.kind.name != "VAR_DECL" or variable.storage_class.name == "STATIC":
                continue
            for child in variable.get_children():
                inner = self.range(child)
                # The sizes of arrays are children too, before the equals sign.
                if inner and inner[0] > variable.location.offset and "=" in self.source[variable.location.offset:inner[0]]:
                    if slips.is_time(variable.spelling):
                        self.time(child)
                    self.visit(child)


# ---- Files ----

def compile_flags(root):
    """What each file is compiled with, by the release build's compile_commands.json."""
    path = os.path.join(root, "build", "release", "compile_commands.json")
    flags = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for command in json.load(file):
                words = shlex.split(command["command"])[1:]
                keep = [w for w in words if re.match(r"-[DI]|-std=|-isystem|-march=|-fopenmp-simd", w)]
                for k, word in enumerate(words):
                    if word == "-isystem":
                        keep += ["-I" + words[k + 1]]
                flags.setdefault(os.path.realpath(command["file"]), [w for w in keep if w != "-isystem"])
    return flags


def headers_of_gcc():
    return subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()


def tool_hash():
    digest = hashlib.sha256()
    for name in ("making.py", "operators.py", "slip_places.py", "slips.py"):
        with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def make(cindex, root, names, cache):
    """All mutants of the files, in order; `cache` is a folder for those of files that did not change, or None."""
    flags, tool, found = None, tool_hash(), []
    for name in names:
        path = os.path.realpath(os.path.join(root, name))
        with open(path, "rb") as file:
            key = hashlib.sha256(file.read() + tool.encode() + name.encode()).hexdigest()
        kept = os.path.join(cache, key + ".json") if cache else None
        if kept and os.path.exists(kept):
            with open(kept, encoding="utf-8") as file:
                rows = json.load(file)
            for row in rows:
                mutant = Mutant(*row[:-1])
                mutant.id = row[-1]
                found.append(mutant)
            continue
        flags = flags if flags is not None else compile_flags(root)
        mutants = Maker(cindex, path, name, flags.get(path, ["-std=gnu17"])).mutants
        if kept:
            os.makedirs(cache, exist_ok=True)
            with open(kept + ".new", "w", encoding="utf-8") as file:
                json.dump([[m.file, m.line, m.column, m.operator, m.edits, m.before, m.after, m.id] for m in mutants], file)
            os.replace(kept + ".new", kept)
        found += mutants
    return found
