"""The places that slips apply to: members, enumerators, times, members of initialisers.  Part of making.py's Maker."""
import slips


class SlipPlaces:
    """Each function takes a cursor and adds mutants of what it finds there."""

    # ---- Neighbours ----

    def neighbour_of(self, field):
        """The name of the next field of the same struct with the same type, or else of the one before; None for a union, whose fields share bytes."""
        parent = field.semantic_parent
        if parent.kind.name != "STRUCT_DECL":
            return None
        kind = field.type.get_canonical().spelling      # exactly: addresses of both are one expression's
        fields = list(parent.type.get_fields())
        at = next((k for k, f in enumerate(fields) if f.spelling == field.spelling), None)
        if at is None:
            return None
        for other in fields[at + 1:] + fields[:at][::-1]:
            if other.spelling and other.type.get_canonical().spelling == kind and other.is_bitfield() == field.is_bitfield() and \
                    not slips.UNREAD.search(other.spelling):
                return other.spelling
        return None

    def around_member(self, cursor):
        """The text before and behind a member's name, and its neighbour; None without one."""
        bounds, name, at = self.range(cursor), cursor.spelling, cursor.location.offset
        field = cursor.referenced
        if not name or not bounds or field is None or self.source[at:at + len(name)] != name:
            return None
        base = next(cursor.get_children(), None)
        by_value = base is not None and self.unwrapped(base).kind.name == "CALL_EXPR" and self.source[at - 1] == "."
        sibling = None if by_value else self.neighbour_of(field)
        return (self.source[bounds[0]:at], sibling, self.source[at + len(name):bounds[1]]) if sibling else None

    def member(self, cursor, bounds, role):
        around = self.around_member(cursor)
        is_bits = around and cursor.referenced.is_bitfield()
        if around and not (is_bits and bounds in self.written):
            self.add_member(bounds, self.source[slice(*bounds)], around, "" if is_bits else "place")
        for child in cursor.get_children():
            self.visit(child)

    def assigned(self, cursor, bounds, form):
        """Of an assignment to a bit field, which has no address, all is written again."""
        cursor = self.unwrapped(cursor)
        inner = self.range(cursor)
        self.written.add(inner)
        around = cursor.kind.name == "MEMBER_REF_EXPR" and cursor.referenced is not None and cursor.referenced.is_bitfield() and \
            self.around_member(cursor)
        if around and inner:
            before, sibling, behind = around
            self.add_member(bounds, self.source[slice(*bounds)], (before, sibling, behind + self.source[inner[1]:bounds[1]]), form)

    def add_member(self, bounds, text, around, form):
        texts = [self.one_line(part) if part else "" for part in around]
        if None not in texts:
            before, sibling, behind = texts
            blank = " " if around[2][:1].isspace() else ""
            self.add("member", bounds, self.place(self.one_line(text), before=before, sibling=sibling, behind=blank + behind), form)

    def name_of_value(self, cursor, bounds, role):
        """Of an enumerator: the next one with another value, or else the one before."""
        value = cursor.referenced
        if value is None or value.kind.name != "ENUM_CONSTANT_DECL" or self.source[slice(*bounds)] != cursor.spelling:
            return
        if self.source[:bounds[0]].rstrip().endswith("[") and self.source[bounds[1]:].lstrip("] ").startswith("="):     # a designator
            return
        names = [c for c in value.semantic_parent.get_children() if c.kind.name == "ENUM_CONSTANT_DECL"]
        at = next(k for k, c in enumerate(names) if c.spelling == value.spelling)
        sibling = next((c for c in names[at + 1:] + names[:at][::-1] if c.enum_value != value.enum_value), None)
        if sibling is not None:
            self.add("enumerator", bounds, self.place(cursor.spelling, sibling=sibling.spelling))

    # ---- Times ----

    def sum_of_time(self, bounds, place, is_part):
        """`now + latency`, unless it is part of a longer sum."""
        if place.operator == "+" and not is_part and place.types == ["integer", "integer"] and None not in (place.left, place.right) and \
                (slips.is_time(place.left) or slips.is_time(place.right)):
            self.add("time", bounds, place)

    def time(self, cursor):
        """What is assigned to a time, or given for one.  Sums are places of their own, and what is a constant is none."""
        bounds, inner = self.range(cursor), self.unwrapped(cursor)
        if not bounds or self.in_macro(*bounds) or self.class_of(cursor.type) != "integer":
            return
        text = self.one_line(self.source[slice(*bounds)])
        if text and inner.kind.name in ("DECL_REF_EXPR", "MEMBER_REF_EXPR", "CALL_EXPR", "ARRAY_SUBSCRIPT_EXPR") and not text.isupper():
            self.add("time", bounds, self.place(text))

    def times_given(self, function, arguments):
        for parameter, argument in zip(function.get_arguments(), arguments):
            if slips.is_time(parameter.spelling):
                self.time(argument)

    # ---- Members of initialisers ----

    def designated(self, cursor):
        """`.member = value`: the value of one that is not 0.  Whether it is such an initialiser."""
        children = list(cursor.get_children())
        if not children or children[0].kind.name != "MEMBER_REF":
            return False
        value = children[-1]
        bounds = self.range(value)
        if bounds and not self.in_macro(*bounds) and self.class_of(value.type) in ("bool", "integer", "pointer", "float"):
            text = self.one_line(self.source[slice(*bounds)])
            if text and self.unwrapped(value).kind.name not in ("INIT_LIST_EXPR", "STRING_LITERAL"):
                self.add("designated", bounds, self.place(text))
        self.visit(value)
        return True
