/* How a text report looks: what a person has asked for, and what the terminal can. */
#ifndef LOCKSTEP_REPORT_STYLE_H
#define LOCKSTEP_REPORT_STYLE_H

#include "util/text.h"

#include <stdio.h>

struct json_object;
struct profile;

/* All zeros: what goes into a file or a pipe. */
struct report_style {
	bool counters;  /* all of them, too */
	bool quiet;     /* only what went wrong, and what was asked for */
	bool colour;    /* by the codes of terminals */
	uint32_t width; /* columns into which paragraphs are broken; 0: a line each */
};

/* What was asked for, with colours and the width where `descriptor` is a terminal; -1: it is a file.  No colours where
 * NO_COLOR is set (https://no-color.org), or TERM is "dumb". */
struct report_style style_on(const struct report_style *asked, int descriptor);

/* The columns into which texts are broken there; 0: not at all, as in files and pipes and on very narrow terminals. */
uint32_t style_width(int descriptor);

/* The same of standard output for what --help says, which is as on a terminal of 80 columns where it is none. */
uint32_t style_help_width(void);

enum report_colour { COLOUR_GOOD, COLOUR_BAD, COLOUR_HEAD };

/* `text` in a colour, where there are any. */
void style_print(struct text *out, const struct report_style *style, enum report_colour colour, const char *text);
/* A paragraph: `first` may be coloured, `rest` follows it; further lines begin with `indent` blanks. */
void style_paragraph(struct text *out, const struct report_style *style, enum report_colour colour, const char *first,
	const char *rest, size_t indent);
/* A text of whole lines: those that are longer than `width` are broken between words, and their further rows indented:
 * below what follows a label, else a little.  Lines of source stay whole.  0: as it is. */
void style_fold(struct text *out, uint32_t width, const char *text);
/* Prints whole lines, folded where `to` is a terminal. */
void style_say(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The empty line between what is there and what follows; none in front of the first part. */
void style_gap(struct text *out);
/* A label as all rows of a report have it. */
void style_label(struct text *out, const char *label);
/* Seconds as "812.500 us", "20.125 ms", "1.500 s": a unit in which the number is at most 9,999. */
const char *style_time(struct arena *arena, double seconds);
/* "  and 3 more locks (--report json has them all)", where `count` things are more than those `shown`. */
void style_left(struct text *out, uint64_t count, uint64_t shown, const char *what);

/* finding_text.c: one of the findings of a JSON report: what, its places with their source, its threads, addresses. */
void finding_text(struct text *out, const struct report_style *style, struct json_object *finding);

/* text.c: a search's verdict; `schedule`: null or empty where none is known. */
void search_text(struct text *out, const char *verdict, uint64_t schedules, uint64_t states, const char *schedule);

/* time_text.c: where the time went, from values of counters in the order of lockstep_counter: what schedulers did while
 * a warp was resident, the costliest lines where they were profiled; and rows about synchronisation. */
void time_text(struct text *out, const uint64_t *counters, const struct profile *profile);
void time_text_synchronisation(struct text *out, const uint64_t *counters);
/* All counters that are not 0, in groups of one prefix. */
void time_text_counters(struct text *out, const uint64_t *counters);

#endif
