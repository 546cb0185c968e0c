/* What compile/server.c sends to a resident clang for each run: one message, with files. */
#ifndef LOCKSTEP_COMPILE_RESIDENT_MESSAGE_H
#define LOCKSTEP_COMPILE_RESIDENT_MESSAGE_H

#include <stdint.h>

#define RESIDENT_FILES_MAX 250 /* the kernel takes 253 */

/* The files of a message, in this order. */
enum {
	RESIDENT_WORDS,  /* the words, then the environment's variables, each ended by NUL */
	RESIDENT_FOLDER, /* the working folder */
	RESIDENT_STATUS, /* a pipe: gets the exit status, an int32_t, and is closed when the run is over */
	RESIDENT_FILES,  /* and those that the run is to have open */
};

/* A variable of a run: the number of its file to which every path goes that it looks for, ended by NUL.  In front of it
 * is what there was then, FOUND or MISSING; RESIDENT_TIME is such a path, where what the run does depends on the time.
 */
#define RESIDENT_LOOKUPS "LOCKSTEP_RESIDENT_LOOKUPS"
#define RESIDENT_FOUND '+'
#define RESIDENT_MISSING '-'
#define RESIDENT_TIME "\n"

struct resident_message {
	uint32_t word_count, variable_count, file_count;
	int number[RESIDENT_FILES_MAX]; /* of each file that the run is to have open: 0, 1, 2 and others */
};

#endif
