/* #line, in front of a source. */
#include "compile/named.h"

void named_source(struct text *out, const char *name, const char *text, size_t length)
{
	text_print(out, "#line 1 \"");
	for (const char *c = name; *c; c++) {
		if (*c == '"' || *c == '\\')
			text_append(out, "\\", 1);
		text_append(out, *c == '\n' ? " " : c, 1);
	}
	text_print(out, "\"\n");
	text_append(out, text, length);
}
