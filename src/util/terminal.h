/* Terminals: how wide one is, what it can, and one line on standard error that replaces itself and never scrolls. */
#ifndef LOCKSTEP_UTIL_TERMINAL_H
#define LOCKSTEP_UTIL_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#define TERMINAL_COLUMNS 80 /* of a terminal that does not tell */

/* Columns of a terminal: as it says, else as COLUMNS says, else 80.  0: the descriptor is no terminal. */
uint32_t terminal_columns(int descriptor);
/* Whether codes that move its cursor may be sent: a terminal, and TERM is not "dumb". */
bool terminal_has_codes(int descriptor);
/* Whether NO_COLOR and TERM leave it its colours. */
bool terminal_has_colours(void);

/* Bytes of UTF-8 that fill at most this many columns; colour codes (ESC [ ... m) take none. */
uint32_t terminal_fit(const char *text, uint32_t columns);
/* The columns that `length` bytes take. */
uint32_t terminal_width(const char *text, uint32_t length);

/* The line on standard error, where that has codes; else nothing happens.  It is cut off at the width that the terminal
 * has now.  The cursor stays at its start: when a terminal that became narrower has broken the line into several, all
 * of them are erased.  Any text that the program prints meanwhile writes over it. */
void terminal_show_line(const char *text);
void terminal_erase_line(void);
/* In another process than the one that shows the line, before it prints: erases what is behind the cursor. */
void terminal_clear_ahead(void);

#endif
