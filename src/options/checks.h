/* The words of --check. */
#ifndef LOCKSTEP_OPTIONS_CHECKS_H
#define LOCKSTEP_OPTIONS_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of them, for messages. */
#define CHECKS_EXPECTED "races, races=strict, races=volatile, races=all, init, barriers, barriers=all or all"

/* As lockstep_check_word. */
const char *checks_word(size_t k, uint32_t *bits);
/* Reads words with commas between them as bits of enum lockstep_check.  False: one is not known, or there is none. */
bool checks_read(const char *words, uint32_t *checks);

#endif
