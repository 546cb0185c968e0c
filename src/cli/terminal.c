/* What the terminal can that a report goes to. */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
