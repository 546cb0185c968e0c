/* The parts of `lockstep run`: the child, its results, and why there are none. */
#ifndef LOCKSTEP_CLI_RUN_H
#define LOCKSTEP_CLI_RUN_H

#include "cli/debug_relay.h"
#include "cli/options.h"
#include "report/channel.h"
#include "report/provenance.h"

/* The front ends, beside the command in a build folder. */
#define OPENCL_DRIVER "liblockstep-opencl.so"
#define CUDA_FOLDER "cuda"
#define CUDA_PRELOAD "liblockstep-static-cudart.so" /* in that folder */

/* How the program ended. */
struct child_end {
	bool started;
	bool killed;
	uint32_t process;
	int status; /* its exit status, or the signal that killed it */
};

/* Everything that one call of `lockstep run` knows. */
struct run {
	struct arena *arena;
	struct diagnostic *diagnostic;
	struct options *options;
	struct channel channel;
	const char *opencl_driver; /* its path; null: it is not there */
	const char *cuda_folder;   /* where the CUDA runtime's libraries are; null: they are not there */
	struct debug_relay *relay; /* of `lockstep debug run`; null: no debugger */
	struct child_end end;
	bool is_missed; /* --only or --launch names what was not launched, or cannot be as it says; set by run_report */
	struct provenance known; /* what the result depends on */
	size_t finding_count;    /* not suppressed; set by run_report */
	int seeds_status;        /* with --seeds: of the first run that went wrong; likewise */
};

/* The program's file, as execvp finds it. */
const char *run_find_program(const struct run *run);

/* Sets up the environment for the child only, runs it, passes signals on and waits for it. */
void run_child(struct run *run);

/* The exit status by what the kernels did: 0, or 3, 4, 5 of the first launch that went wrong.  False: what the program
 * has sent cannot be read, and nothing is written. */
bool run_report(struct run *run, struct text *out, int *status);

/* A line that says why nothing ran on the GPU. `stage` is how far any process got, 0: none came to us.  `unsupported`:
 * a call that it made and that is not supported; null: there was none. */
const char *run_reason(struct run *run, uint32_t stage, const char *unsupported);

/* guard.c: a process beside this one that ends what this one has started, if this one is killed: SIGKILL of `lockstep
 * run` leaves no program that simulates, nor what a script has started. */
struct guard {
	pid_t process; /* 0: there is none, as none could be made */
	int end;       /* of a pipe that only this process holds */
};

/* `mark`: "NAME=VALUE", a variable that the environments of what is started have, and no others. */
void guard_begin(struct guard *guard, const char *mark);
/* Leaves alone what still runs: a program may outlive its parent. */
void guard_end(struct guard *guard);

#endif
