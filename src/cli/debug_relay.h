/* `lockstep debug run`: between the debugger's commands and the program whose kernels are debugged. */
#ifndef LOCKSTEP_CLI_DEBUG_RELAY_H
#define LOCKSTEP_CLI_DEBUG_RELAY_H

#include "report/debug_pipe.h"
#include "util/arena.h"

#include <sys/types.h>

struct debug_relay {
	struct debug_pipes pipes;
	struct debug_message message;
};

/* False: errno says why. */
bool debug_relay_begin(struct debug_relay *relay);
void debug_relay_end(struct debug_relay *relay);
/* What DEBUG_VARIABLE is to be for the program. */
const char *debug_relay_words(const struct debug_relay *relay, struct arena *arena, pid_t parent);
/* In the child, before it becomes the program. */
void debug_relay_prepare_child(void);
/* Carries commands and answers, until the child has ended; after `quit` it is ended soon. */
void debug_relay_serve(struct debug_relay *relay, pid_t child);

#endif
