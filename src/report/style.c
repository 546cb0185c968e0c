/* How a text report looks: colours, paragraphs, labels. */
#include "report/style.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RESET "\033[0m"

static const char *const codes[] = {[COLOUR_GOOD] = "\033[32m", [COLOUR_BAD] = "\033[1;31m", [COLOUR_HEAD] = "\033[1m"};

void style_print(struct text *out, const struct report_style *style, enum report_colour colour, const char *text)
{
	text_print(out, "%s%s%s", style->colour ? codes[colour] : "", text, style->colour ? RESET : "");
}

/* Columns of UTF-8: bytes that begin a character. */
static size_t columns_of(const char *text, size_t length)
{
	size_t columns = 0;
	for (size_t k = 0; k < length; k++)
		columns += ((unsigned char)text[k] & 0xc0) != 0x80;
	return columns;
}

/* Words from `column` on, broken where the next would not fit; a word longer than a line has a line of its own. */
static void fill(struct text *out, uint32_t width, const char *text, size_t column, size_t indent)
{
	while (*text) {
		size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " ");
		size_t columns = columns_of(text + blanks, length);
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
		fill(out, style->width, rest, columns_of(first, strlen(first)), indent);
	else
		text_append(out, rest, strlen(rest));
	text_append(out, "\n", 1);
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
	if (count > shown)
		text_print(out, "  and %" PRIu64 " more%s%s (--report json has them all)\n", count - shown,
			*what ? " " : "", what);
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

#define WIDTH 80     /* of a terminal that does not tell */
#define NARROWEST 40 /* in less nothing is broken: the terminal does it */
#define WIDEST 120   /* longer lines are hard to read */

static bool has_colours(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
	return !(none && *none) && !(term && !strcmp(term, "dumb"));
}

static uint32_t width_of(int descriptor)
{
	struct winsize size = {0};
	if (ioctl(descriptor, TIOCGWINSZ, &size) || !size.ws_col)
		return WIDTH;
	return size.ws_col < NARROWEST ? 0 : size.ws_col > WIDEST ? WIDEST : size.ws_col;
}

struct report_style style_on(const struct report_style *asked, int descriptor)
{
	struct report_style style = *asked;
	if (descriptor < 0 || !isatty(descriptor))
		return style;
	style.colour = has_colours();
	style.width = width_of(descriptor);
	return style;
}
