/* What the terminal can that a report goes to. */
#ifndef LOCKSTEP_CLI_TERMINAL_H
#define LOCKSTEP_CLI_TERMINAL_H

#include "report/style.h"

/* What was asked for, with colours and the width where `descriptor` is a terminal; -1: it is a file.  No colours where
 * NO_COLOR is set (https://no-color.org), or TERM is "dumb". */
struct report_style style_on(const struct report_style *asked, int descriptor);

#endif
