/* `lockstep run`: an unmodified host program, with the simulated GPU's OpenCL driver and CUDA runtime in place of the system's. */
#include "cli/run.h"

#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef LOCKSTEP_LIBRARY_FOLDER
#define LOCKSTEP_LIBRARY_FOLDER "/usr/local/lib"
#endif

static const struct place nowhere;

/* A front end's file: beside the command in a build folder; in the library folder where it is installed. */
static const char *find_part(struct run *run, const char *beside, const char *installed)
{
	char self[PATH_MAX], whole[PATH_MAX];
	const char *found = NULL;
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	self[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	const char *places[] = {
		arena_printf(&run->arena, "%s/%s", self, beside),
		arena_printf(&run->arena, "%s/../lib/%s", self, installed),
		arena_printf(&run->arena, LOCKSTEP_LIBRARY_FOLDER "/%s", installed),
	};
	for (size_t k = 0; k < sizeof places / sizeof *places && !found; k++)
		if (!access(places[k], R_OK) && realpath(places[k], whole))
			found = arena_printf(&run->arena, "%s", whole);
	if (!found)
		report_error(&run->report, nowhere, "lockstep run: cannot find %s, expected beside the command (%s) or in " LOCKSTEP_LIBRARY_FOLDER,
			beside, self);
	return found;
}

static void find_front_ends(struct run *run)
{
	run->opencl_driver = find_part(run, "liblockstep-opencl.so", "liblockstep-opencl.so");
	run->cuda_folder = find_part(run, "cuda", "lockstep/cuda");
}

/* What is wrong with the options is said before the program starts. */
static void try_options(struct run *run)
{
	const struct options *o = &run->options;
	struct lockstep_error error;
	*vector_push(&run->arena, &run->options.settings) = NULL;
	*vector_push(&run->arena, &run->options.plugins) = NULL;
	struct lockstep_options machine = {
		.gpu = o->gpu, .settings = o->settings.at, .plugins = o->plugins.at, .mode = o->mode};
	struct lockstep *gpu = lockstep_open(&machine, &error);
	run->options.settings.count--;
	run->options.plugins.count--;
	if (!gpu)
		report_error(&run->report, nowhere, "%s", error.message);
	lockstep_close(gpu);
}

static void write_report(struct run *run, int *status)
{
	struct text text = {.arena = &run->arena};
	run_report(run, &text, status);
	if (run->options.output)
		text_write_file(run->options.output, text.at, text.length, &run->report);
	else
		fwrite(text.at, 1, text.length, stderr); /* stdout is the program's */
}

/* Ends as the program did, so that who waits for us sees the same; the program has left its core file already. */
static void die_by(int number)
{
	struct rlimit none = {0};
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	fflush(NULL);
	raise(number);
}

/* Signals that a program brings on itself, as one does that cannot go on after a kernel's fault. */
static bool is_own(int number)
{
	return number == SIGABRT || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP;
}

static int run(struct run *run)
{
	int found = STATUS_COMPLETED;
	find_front_ends(run);
	if (!run->report.failed)
		try_options(run);
	if (!run->report.failed && !channel_create(&run->channel))
		report_error(&run->report, nowhere, "lockstep run: cannot create a memory file: %s", strerror(errno));
	if (run->report.failed)
		return fail(&run->report);
	fflush(NULL);
	run_child(run);
	if (run->end.started)
		write_report(run, &found);
	channel_close(&run->channel);
	if (run->report.failed)
		return fail(&run->report);
	if (run->finding_count && run->options.error_exit)
		return run->options.error_exit;
	if (!run->end.killed)
		return run->end.status;
	if (found && is_own(run->end.status))
		return found;
	die_by(run->end.status);
	return 128 + run->end.status; /* a signal that kills nobody here */
}

int command_run(int count, char **words)
{
	struct run r = {.options = {.arena = &r.arena, .command = "lockstep run", .user = OPTIONS_RUN}};
	int status = STATUS_COMPLETED;
	if (!options_read(&r.options, count, words, &r.report)) {
		status = fail(&r.report);
	} else if (r.options.help) {
		print_usage(words[0]);
		options_print(OPTIONS_RUN);
	} else {
		status = run(&r);
	}
	arena_free(&r.arena);
	return status;
}
