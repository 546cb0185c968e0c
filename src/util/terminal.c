/* Terminals: how wide one is, what it can, and one line on standard error that replaces itself. */
#include "util/terminal.h"

#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MOST_COLUMNS 100000

static uint32_t columns_of_environment(void)
{
	const char *text = getenv("COLUMNS");
	uint64_t columns = 0;
	bool good = text && text_to_u64(text, &columns) && columns && columns < MOST_COLUMNS;
	return good ? (uint32_t)columns : TERMINAL_COLUMNS;
}

uint32_t terminal_columns(int descriptor)
{
	struct winsize size = {0};
	if (descriptor < 0 || !isatty(descriptor))
		return 0;
	return !ioctl(descriptor, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : columns_of_environment();
}

static bool is_dumb(void)
{
	const char *term = getenv("TERM");
	return term && !strcmp(term, "dumb");
}

bool terminal_has_codes(int descriptor)
{
	return isatty(descriptor) && !is_dumb();
}

bool terminal_has_colours(void)
{
	const char *none = getenv("NO_COLOR");
	return !(none && *none) && !is_dumb();
}

/* ---- Columns ---- */

/* Bytes of the colour code that begins here; 0: none does. */
static uint32_t code_length(const char *text)
{
	return !strncmp(text, "\033[", 2) ? (uint32_t)strcspn(text, "m") + 1 : 0;
}

uint32_t terminal_fit(const char *text, uint32_t columns)
{
	uint32_t at = 0, taken = 0;
	while (text[at]) {
		uint32_t code = code_length(text + at);
		bool begins = !code && ((unsigned char)text[at] & 0xc0) != 0x80;
		if (begins && taken == columns)
			break;
		taken += begins;
		at += code ? code : 1;
	}
	return at;
}

uint32_t terminal_width(const char *text, uint32_t length)
{
	uint32_t at = 0, taken = 0;
	while (at < length) {
		uint32_t code = code_length(text + at);
		taken += !code && ((unsigned char)text[at] & 0xc0) != 0x80;
		at += code ? code : 1;
	}
	return taken;
}

/* ---- The line ---- */

#define CLEAR "\033[J" /* from the cursor to the end of the screen */
#define ERASE "\r" CLEAR

/* One write for all, as others may write to the terminal.  The last column stays free: in it some terminals go to the
 * next row. */
void terminal_show_line(const char *text)
{
	char all[1024];
	uint32_t columns = terminal_columns(STDERR_FILENO);
	if (!columns || !terminal_has_codes(STDERR_FILENO))
		return;
	int length = snprintf(all, sizeof all, ERASE "%.*s\r", (int)terminal_fit(text, columns - 1), text);
	size_t shown = length < (int)sizeof all ? (size_t)length : sizeof all - 1;
	fflush(stderr);
	if (write(STDERR_FILENO, all, shown) < 0)
		return; /* a terminal that has gone shows nothing */
}

void terminal_erase_line(void)
{
	if (terminal_has_codes(STDERR_FILENO))
		fputs(ERASE, stderr);
	fflush(stderr);
}

void terminal_clear_ahead(void)
{
	if (terminal_has_codes(STDERR_FILENO))
		fputs(CLEAR, stderr);
}
