/* How a text report looks: colours, paragraphs, labels. */
#include "report/style.h"

#include "util/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define RESET "\033[0m"

static const char *const codes[] = {[COLOUR_GOOD] = "\033[32m", [COLOUR_BAD] = "\033[1;31m", [COLOUR_HEAD] = "\033[1m"};

void style_print(struct text *out, const struct report_style *style, enum report_colour colour, const char *text)
{
	text_print(out, "%s%s%s", style->colour ? codes[colour] : "", text, style->colour ? RESET : "");
}

/* Words from `column` on, broken where the next would not fit; a word longer than a line has a line of its own. */
static void fill(struct text *out, uint32_t width, const char *text, size_t column, size_t indent)
{
	while (*text) {
		size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " ");
		size_t columns = terminal_width(text + blanks, (uint32_t)length);
		if (column > indent && column + blanks + columns > width) {
			text_print(out, "\n%*s", (int)indent, "");
			column = indent;
		} else {
			text_append(out, text, blanks);
			column += blanks;
		}
		text_append(out, text + blanks, length);
		column += columns;
		text += blanks + length;
	}
}

void style_paragraph(struct text *out, const struct report_style *style, enum report_colour colour, const char *first,
	const char *rest, size_t indent)
{
	style_print(out, style, colour, first);
	if (style->width > indent)
		fill(out, style->width, rest, terminal_width(first, (uint32_t)strlen(first)), indent);
	else
		text_append(out, rest, strlen(rest));
	text_append(out, "\n", 1);
}

/* ---- Whole texts ---- */

#define HANG 2  /* columns by which further rows are indented more than their line */
#define LABEL 2 /* blanks behind a label, or a column of a table */

/* "  >     14 | text": a line of source, which stays as it is. */
static bool is_source(const char *line, size_t length)
{
	size_t at = strspn(line, " >"), digits = strspn(line + at, "0123456789");
	return at && digits && at + digits + 2 < length && !strncmp(line + at + digits, " | ", 3);
}

/* Where further rows of a line begin: below what follows its label, else a little to the right of its own start. */
static size_t hang_of(const char *line, size_t length, uint32_t width)
{
	size_t start = strspn(line, " "), at = start;
	while (at + LABEL < length && strncmp(line + at, "  ", LABEL))
		at++;
	size_t value = at + strspn(line + at, " ");
	return at + LABEL < length && value <= width / 2 ? value : start + HANG < width / 2 ? start + HANG : HANG;
}

void style_fold(struct text *out, uint32_t width, const char *text)
{
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		const char *line = arena_copy(out->arena, text, length);
		if (!width || is_source(line, length) || terminal_width(line, (uint32_t)length) <= width)
			text_append(out, line, length);
		else
			fill(out, width, line, 0, hang_of(line, length, width));
		text_append(out, "\n", text[length] == '\n');
	}
}

/* Formatted, and folded where `to` is a terminal. */
void style_say(FILE *to, const char *format, ...)
{
	struct arena arena = {0};
	struct text out = {.arena = &arena};
	va_list list;
	va_start(list, format);
	const char *text = arena_vprintf(&arena, format, list);
	va_end(list);
	text_append(&out, "", 0);
	style_fold(&out, style_width(fileno(to)), text);
	fputs(out.at, to);
	arena_free(&arena);
}

void style_gap(struct text *out)
{
	if (out->length)
		text_append(out, "\n", 1);
}

void style_label(struct text *out, const char *label)
{
	text_print(out, "  %-22s ", label);
}

void style_left(struct text *out, uint64_t count, uint64_t shown, const char *what)
{
	int length = (int)strlen(what) - (count - shown == 1 && *what); /* "line", of "lines" */
	if (count > shown)
		text_print(out, "  and %" PRIu64 " more%s%.*s (--report json has %s)\n", count - shown,
			*what ? " " : "", length, what, count - shown == 1 ? "it" : "them all");
}

const char *style_time(struct arena *arena, double seconds)
{
	static const char *const units[] = {"us", "ms", "s"};
	double number = seconds * 1e6;
	size_t k = 0;
	for (; number > 9999 && k < 2; k++)
		number /= 1000;
	return arena_printf(arena, "%.3f %s", number, units[k]);
}

/* ---- What the terminal can ---- */

#define NARROWEST 40 /* in less nothing is broken: the terminal does it */
#define WIDEST 120   /* longer lines are hard to read */

uint32_t style_width(int descriptor)
{
	uint32_t columns = terminal_columns(descriptor);
	return columns < NARROWEST ? 0 : columns > WIDEST ? WIDEST : columns;
}

uint32_t style_help_width(void)
{
	return isatty(STDOUT_FILENO) ? style_width(STDOUT_FILENO) : TERMINAL_COLUMNS;
}

struct report_style style_on(const struct report_style *asked, int descriptor)
{
	struct report_style style = *asked;
	if (descriptor < 0 || !isatty(descriptor))
		return style;
	style.colour = terminal_has_colours();
	style.width = style_width(descriptor);
	return style;
}
