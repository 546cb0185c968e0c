/* `lockstep run`: an unmodified host program, with the simulated GPU's OpenCL driver and CUDA runtime in place of the
 * system's. */
#include "cli/run.h"

#include "cli/debug.h"
#include "cli/signals.h"
#include "compile/pinned.h"
#include "report/trace.h"
#include "util/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LOCKSTEP_LIBRARY_FOLDER
#define LOCKSTEP_LIBRARY_FOLDER "/usr/local/lib"
#endif

static const struct place nowhere;

/* A front end's file: beside the command in a build folder; in the library folder where it is installed.  Null: it is
 * not there. */
static const char *find_part(struct run *run, const char *beside, const char *installed)
{
	const char *self = folder_own(run->arena), *found = NULL;
	const char *places[] = {
		arena_printf(run->arena, "%s/%s", self, beside),
		arena_printf(run->arena, "%s/../lib/%s", self, installed),
		arena_printf(run->arena, LOCKSTEP_LIBRARY_FOLDER "/%s", installed),
	};
	for (size_t k = 0; k < sizeof places / sizeof *places && !found; k++)
		if (!access(places[k], R_OK))
			found = folder_whole_path(run->arena, places[k]);
	return found;
}

/* A program mostly needs one of them. */
static void find_front_ends(struct run *run)
{
	run->opencl_driver = find_part(run, OPENCL_DRIVER, "lockstep/" OPENCL_DRIVER);
	run->cuda_folder = find_part(run, CUDA_FOLDER, "lockstep/" CUDA_FOLDER);
	if (!run->opencl_driver && !run->cuda_folder)
		diagnose(run->diagnostic, nowhere,
			"lockstep run: neither OpenCL's driver (" OPENCL_DRIVER ") nor CUDA's libraries (" CUDA_FOLDER
			") are beside the command (%s) or in " LOCKSTEP_LIBRARY_FOLDER ": `make` builds them",
			folder_own(run->arena));
}

static bool try_model(const struct run *run, const char *model, struct diagnostic *diagnostic)
{
	struct lockstep_options setup = run->options->run.setup;
	setup.gpu = model;
	setup.threads = 1;
	setup.trace = NULL;
	return options_check_gpu(&setup, diagnostic);
}

/* Reports errors in the options before the program starts; neither threads nor a timeline are for this
 * process.  Where the front end chooses the model, one of them has to take the options: which the program uses is not
 * known yet. */
static void try_options(struct run *run)
{
	const char *model = run->options->run.setup.gpu;
	struct diagnostic error = {0}, other = {0};
	if (!try_model(run, model, &error) && (model || !try_model(run, CUDA_GPU, &other)))
		*run->diagnostic = error;
}

/* Standard output is the program's. */
static void print_report(const struct run *run, const struct text *text)
{
	struct text folded = options_fold(run->options, text, STDERR_FILENO);
	fwrite(folded.at, 1, folded.length, stderr);
}

static void write_report(struct run *run, int *status)
{
	struct text made = {.arena = run->arena};
	if (!run_report(run, &made, status))
		return;
	struct text text = options_shorten(run->options, &made);
	const char *output = run->options->report.output;
	if (!output || (!text_write_file(output, text.at, text.length, run->diagnostic) &&
			       !run->options->report.reporter->is_page))
		print_report(run, &text);
}

/* Timelines of processes that a signal, _exit or exec has ended. */
static void complete_traces(struct run *run)
{
	const char *path = run->options->run.setup.trace;
	for (uint32_t k = 0; path && k < CHANNEL_SLOTS; k++) {
		const struct channel_slot *slot = &run->channel.slots[k];
		pid_t process = (pid_t)atomic_load(&slot->process);
		if (process && atomic_load(&slot->stage) >= CHANNEL_ASKED && kill(process, 0))
			trace_complete(k ? arena_printf(run->arena, "%s.%" PRIu32, path, k + 1) : path, process);
	}
}

/* Signals that a program brings on itself, as one does that cannot go on after a kernel's fault. */
static bool is_own(int number)
{
	return number == SIGABRT || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGTRAP;
}

/* Options after the program are the program's.  When all its words would be ours, that may not be what was meant; `--`
 * in front of it says that it is. */
static void note_misplaced(const struct run *run)
{
	char **program = run->options->program, command[] = "run", end[] = "program";
	struct arena arena = {0};
	struct diagnostic unread = {0};
	struct options options = {.arena = &arena, .command = "lockstep run", .user = OPTIONS_RUN};
	int count = 0;
	while (program[count])
		count++;
	char **words = arena_new_array(&arena, char *, (size_t)count + 2);
	memcpy(words, program, (size_t)count * sizeof *words);
	words[0] = command;
	words[count] = end;
	if (count > 1 && !run->options->report.style.quiet && strcmp(program[-1], "--") &&
		options_read(&options, count + 1, words, &unread) && options.program && options.program[0] == end)
		style_say(stderr,
			"lockstep run: note: %s after %s goes to the program: options of lockstep run come before it\n",
			program[1], program[0]);
	arena_free(&arena);
}

/* The program as execvp finds it. */
static const char *program_path(struct run *run)
{
	const char *name = run->options->program[0], *path = getenv("PATH");
	if (strchr(name, '/'))
		return name;
	for (const char *at = path ? path : "/bin:/usr/bin"; *at;) {
		size_t length = strcspn(at, ":");
		const char *file = arena_printf(run->arena, "%.*s%s%s", (int)length, at, length ? "/" : "", name);
		if (!access(file, X_OK))
			return file;
		at += length + (at[length] == ':');
	}
	return name;
}

/* The program and its words, before it can change what they name. */
static void note_inputs(struct run *run)
{
	char **program = run->options->program;
	const char *path = program_path(run);
	provenance_add_file(&run->known, run->arena, path, path);
	for (size_t k = 1; program[k]; k++)
		if (provenance_is_file(program[k]))
			provenance_add_file(&run->known, run->arena, program[k], program[k]);
		else
			provenance_add_input(&run->known, run->arena, program[k]);
	provenance_add_files(&run->known, run->arena, run->options->run.setup.plugins);
}

/* Nothing to do without `lockstep debug`. */
static void begin_relay(struct run *run, struct debug_relay *relay)
{
	const struct options *o = run->options;
	if (!debug_front())
		return;
	if (o->run.setup.trace || o->seeds.count)
		diagnose(run->diagnostic, nowhere,
			"lockstep debug: --%s does not go with a debugger, by which launches go back",
			o->run.setup.trace ? "trace" : "seeds");
	else if (!debug_relay_begin(relay))
		diagnose(run->diagnostic, nowhere, "lockstep debug: cannot create pipes: %s", strerror(errno));
	else
		run->relay = relay;
}

static int run(struct run *run)
{
	int found = STATUS_COMPLETED;
	struct debug_relay relay;
	if (pinned_are_whole(run->diagnostic))
		find_front_ends(run);
	if (!run->diagnostic->failed)
		try_options(run);
	if (!run->diagnostic->failed)
		begin_relay(run, &relay);
	if (!run->diagnostic->failed && !channel_create(&run->channel))
		diagnose(run->diagnostic, nowhere, "lockstep run: cannot create a memory file: %s", strerror(errno));
	if (run->diagnostic->failed)
		return fail(run->diagnostic);
	note_misplaced(run);
	note_inputs(run);
	fflush(NULL);
	run_child(run);
	complete_traces(run);
	if (run->relay)
		debug_relay_end(run->relay);
	if (run->end.started && !debug_has_quit())
		write_report(run, &found);
	channel_close(&run->channel);
	if (!run->diagnostic->failed && debug_has_quit())
		return STATUS_COMPLETED;
	if (run->diagnostic->failed)
		return fail(run->diagnostic);
	if (run->finding_count && run->options->error_exit)
		return run->options->error_exit;
	if (!run->end.killed)
		return run->seeds_status || !run->is_missed ? run->seeds_status : STATUS_USAGE;
	if (found && is_own(run->end.status))
		return found;
	signals_die_by(run->end.status); /* the program has left its core file already */
	return 128 + run->end.status;    /* a signal that does not kill this process */
}

int command_run(struct options *o, struct diagnostic *diagnostic)
{
	return run(&(struct run){.arena = o->arena, .diagnostic = diagnostic, .options = o});
}
