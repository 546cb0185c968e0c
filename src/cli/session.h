/* A call of `lockstep kernel`, while it is carried out. */
#ifndef LOCKSTEP_CLI_SESSION_H
#define LOCKSTEP_CLI_SESSION_H

#include "cli/options.h"
#include "cli/progress.h"

struct session {
	struct arena *arena;
	struct diagnostic *diagnostic;
	struct options *options;
	struct progress progress;
	struct lockstep_options setup; /* what the GPU is opened with */
	struct lockstep *gpu;
	struct lockstep_module *module; /* of the file */
	struct lockstep_launch launch;  /* its kernel, of `module` unless firmware has a file of its own */
	const char *ptx;                /* what that is of */
	uint32_t block;      /* threads of a work-group that --block would change; 0: what the kernel needs */
	bool lacks_block;    /* it has threads to tell apart, and 1 is launched */
	uint64_t *addresses; /* per argument: its value as a parameter */
};

/* The module of a file of any kind; null and an error. */
struct lockstep_module *session_load(struct session *s, const char *file);
/* The module's kernel of that name, or the only one; null and an error. */
const char *session_find_kernel(
	struct session *s, const struct lockstep_module *module, const char *file, const char *wanted);

/* --firmware and --dispatches, of firmware.c.  Whether they go with other options; else an error. */
void firmware_check(const struct options *o, struct diagnostic *diagnostic);
/* Makes the launch of s->module that of firmware, with what it may dispatch, or an error.  False: it is not asked for.
 */
bool firmware_load(struct session *s);

#endif
