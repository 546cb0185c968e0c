/* Within this folder: the field of a row in struct run_options, read and written by the row's type. */
#ifndef LOCKSTEP_OPTIONS_FIELDS_H
#define LOCKSTEP_OPTIONS_FIELDS_H

#include "options/run_options.h"

/* NUMBER and CHOICE; 0 where it is not given. */
uint64_t field_number(const struct run_option *option, const struct run_options *options);
/* The number must fit the field. */
void field_set_number(const struct run_option *option, struct run_options *options, uint64_t number);
/* Whether 0 may be given and means something else than not giving it: it is kept as UINT64_MAX. */
static inline bool field_zero_is_never(const struct run_option *option)
{
	return option->standard && !option->lowest;
}
/* As field_set_number, with that exchange. */
void field_give_number(const struct run_option *option, struct run_options *options, uint64_t number);
/* CHOICE: false, and nothing set, when it is none of the words. */
bool field_give_word(const struct run_option *option, struct run_options *options, const char *word);
/* TEXT; it is not copied. */
const char *field_text(const struct run_option *option, const struct run_options *options);
void field_set_text(const struct run_option *option, struct run_options *options, const char *text);
/* LIST: puts one more at its end; it is not copied. */
void field_add_text(
	const struct run_option *option, struct run_options *options, const char *text, struct arena *arena);

#endif
