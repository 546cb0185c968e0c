/* Checks that say where they failed, for the programs of each front end. */
#ifndef LOCKSTEP_TESTS_HOST_CHECK_H
#define LOCKSTEP_TESTS_HOST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* The entry of a table that is looked at, for the message; set by the test. */
static int check_entry;

/* Ends the test when `condition` does not hold. */
#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: not so (%d): %s\n", __FILE__, __LINE__, check_entry, #condition);      \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* Ends the test when `call` gives another code than this; 0 is success everywhere. */
#define GIVES(code, call)                                                                                              \
	do {                                                                                                           \
		int got_ = (int)(call);                                                                                \
		if (got_ != (int)(code)) {                                                                             \
			fprintf(stderr, "%s:%d: %d, not %s (%d): %s\n", __FILE__, __LINE__, got_, #code, check_entry,  \
				#call);                                                                                \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
#define OK(call) GIVES(0, call)

#endif
