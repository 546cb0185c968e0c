/* The program under `lockstep run`: its environment, signals, end. */
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/signals.h"
#include "report/profile.h"
#include "util/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void set(const char *name, const char *value)
{
	if (value && *value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* `addition` and what the variable holds, which comes first where `last`. */
static void join(struct run *run, const char *name, const char *addition, bool last)
{
	const char *before = getenv(name);
	if (!before || !*before)
		set(name, addition);
	else
		set(name, arena_printf(run->arena, "%s:%s", last ? before : addition, last ? addition : before));
}

/* Our CUDA libraries come before all others, and replace a runtime that a program has in itself (host/cuda/preload),
 * also of those that a script starts.  AddressSanitizer demands to come before what is preloaded, unless an option
 * allows it: the library defines no function. */
static void put_cuda_below(struct run *run)
{
	join(run, "LD_LIBRARY_PATH", run->cuda_folder, false);
	const char *preload = arena_printf(run->arena, "%s/" CUDA_PRELOAD, run->cuda_folder);
	if (access(preload, R_OK)) /* of a build of single targets */
		return;
	join(run, "LD_PRELOAD", preload, true);
	join(run, "ASAN_OPTIONS", "verify_asan_link_order=0", false);
}

const char *run_find_program(const struct run *run)
{
	const char *name = run->options->program[0], *path = getenv("PATH");
	if (strchr(name, '/'))
		return name;
	for (const char *at = path ? path : "/bin:/usr/bin"; *at;) {
		size_t length = strcspn(at, ":");
		const char *file = arena_printf(run->arena, "%.*s/%s", (int)length, at, name);
		if (!access(file, X_OK))
			return file;
		at += length + (at[length] == ':');
	}
	return name;
}

static const char *channel_path(struct run *run, pid_t parent)
{
	return arena_printf(run->arena, "/proc/%d/fd/%d", (int)parent, run->channel.file);
}

static void set_environment(struct run *run, pid_t parent)
{
	run_options_to_environment(&run->options->run, run->arena);
	set(CHANNEL_VARIABLE, channel_path(run, parent));
	set(DEBUG_VARIABLE, run->relay ? debug_relay_words(run->relay, run->arena, parent) : NULL);
	/* ocl-icd takes a library here; the Khronos loader takes it from the second variable. */
	/* Without ours there is none, rather than the system's: the program must not run on another device unnoticed.
	 */
	const char *driver = run->opencl_driver ? run->opencl_driver : "/nonexistent/" OPENCL_DRIVER;
	set("OCL_ICD_VENDORS", driver);
	set("OCL_ICD_FILENAMES", driver);
	if (run->cuda_folder)
		put_cuda_below(run);
}

/* ---- Signals ---- */

static volatile sig_atomic_t child_process, is_debugged;

/* What a terminal sends goes to the whole group, so to the child as well; only what was sent to us alone is passed
 * on. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	int before = errno;
	if (is_debugged && number == SIGINT)
		signals_caught = number;
	else if (info->si_code <= 0 && child_process > 0)
		kill((pid_t)child_process, number);
	errno = before;
}

static bool is_passed(int number)
{
	return signals_is_end(number) && number != SIGPIPE; /* which is about the command's own output */
}

static void catch_signals(struct sigaction before[_NSIG])
{
	/* Under a debugger the prompt stays: reading goes on. */
	struct sigaction action = {
		.sa_sigaction = pass_on, .sa_flags = is_debugged ? SA_SIGINFO | SA_RESTART : SA_SIGINFO};
	for (int number = 1; number < _NSIG; number++) {
		if (!is_passed(number))
			continue;
		sigaction(number, NULL, &before[number]);
		if (before[number].sa_handler != SIG_IGN) /* as under nohup */
			sigaction(number, &action, NULL);
	}
}

static void restore_signals(const struct sigaction before[_NSIG])
{
	for (int number = 1; number < _NSIG; number++)
		if (is_passed(number))
			sigaction(number, &before[number], NULL);
}

/* ---- The child ---- */

/* The program's own memory at the same places in each run: pointers that it prints or hashes are the same, and the heap
 * of one that is not position-independent (gcc -no-pie) does not begin where memory that it shares with the GPU
 * belongs. Where it is not allowed, as in some containers, the program runs without. */
static void fix_addresses(void)
{
	int now = personality(0xffffffff);
	if (now >= 0)
		personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* In the child: becomes the program, or tells through the pipe why it cannot. */
static _Noreturn void become(struct run *run, int pipe_end, pid_t parent, const sigset_t *mask)
{
	/* At once when the command is killed; the guard ends what the program has started itself. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(126);
	const char *file = run_find_program(run);
	set_environment(run, parent);
	fix_addresses();
	if (run->relay)
		debug_relay_prepare_child();
	signals_restore_limit();
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* A shell would take a program for another system for a script. */
	if (file_kind_of(file) & (FILE_PROGRAM | FILE_FOREIGN))
		execv(file, run->options->program);
	else
		execvp(file, run->options->program);
	int why = errno;
	if (write(pipe_end, &why, sizeof why) != sizeof why)
		_exit(126);
	_exit(127);
}

static bool read_failure(int pipe_end, int *why)
{
	ssize_t got;
	while ((got = read(pipe_end, why, sizeof *why)) < 0 && errno == EINTR)
		;
	return got == sizeof *why;
}

/* ---- The progress line ---- */

#define MILLISECONDS_BETWEEN 200

/* Of the first process that simulates a kernel, and has for a while: short ones would only flicker. */
static void show_what_runs(const struct run *run, struct progress *progress)
{
	for (uint32_t k = 0; k < CHANNEL_SLOTS; k++) {
		const struct channel_slot *slot = &run->channel.slots[k];
		double seconds = channel_seconds(slot);
		char kernel[sizeof slot->shown];
		if (!channel_slot_is_whole(slot) || !atomic_load(&slot->running) ||
			seconds * 1000 < MILLISECONDS_BETWEEN)
			continue;
		snprintf(kernel, sizeof kernel, "%s", slot->shown);
		struct progress_state state = {
			.kernel = kernel,
			.seconds = seconds,
			.cycles = atomic_load(&slot->cycles),
			.warp_instructions = atomic_load(&slot->warp_instructions),
			.groups_done = atomic_load(&slot->groups_done),
			.test = atomic_load(&slot->test),
			.tests = atomic_load(&slot->tests),
			.groups = (uint64_t)slot->grid[0] * slot->grid[1] * slot->grid[2],
		};
		progress_note(progress, &state);
		progress_show(progress, &state);
		return;
	}
	progress_end(progress); /* the terminal is the program's */
}

/* Until the child has ended. */
static void show_progress(const struct run *run, pid_t child)
{
	struct progress progress = {0};
	struct pollfd end = {
		.fd = (int)syscall(SYS_pidfd_open, child, 0), /* glibc has it from 2.36 on */ .events = POLLIN};
	int ready = end.fd < 0 ? -1 : 0;
	while (!ready || (ready < 0 && errno == EINTR)) {
		ready = poll(&end, 1, MILLISECONDS_BETWEEN);
		if (!ready)
			show_what_runs(run, &progress);
	}
	progress_end(&progress);
	if (end.fd >= 0)
		close(end.fd);
}

static void wait_for(struct run *run, pid_t child)
{
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	run->end.process = (uint32_t)child;
	run->end.killed = WIFSIGNALED(status);
	run->end.status = run->end.killed ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* The first word after a script's "#!"; "": it is no script. */
static char *interpreter_of(struct run *run, const char *script)
{
	char line[PATH_MAX] = "";
	FILE *file = fopen(script, "re");
	bool is_script = file && fgets(line, sizeof line, file) && !strncmp(line, "#!", 2);
	if (file)
		fclose(file);
	const char *word = line + (is_script ? 2 + strspn(line + 2, " \t") : strlen(line));
	return arena_copy(run->arena, word, strcspn(word, " \t\n"));
}

/* A program that is there and whose interpreter is not: the system's reason names neither. */
static void refuse_interpreter(struct run *run)
{
	struct place place = {.file = run->options->program[0]};
	char *interpreter = interpreter_of(run, place.file), *end = strchr(interpreter, '\r');
	if (end) {
		*end = '\0';
		diagnose(run->diagnostic, place,
			"cannot run: a carriage return follows its interpreter, %s: expected lines that end in LF "
			"alone",
			interpreter);
	} else if (*interpreter && access(interpreter, F_OK)) {
		diagnose(run->diagnostic, place, "cannot run: its interpreter is missing: %s", interpreter);
	} else {
		diagnose(run->diagnostic, place,
			"cannot run: the loader of the program or of its interpreter is missing");
	}
}

/* Source code with kernels, and perhaps the program that launches them. */
static void refuse_kernels(struct run *run, const char *name)
{
	struct diagnostic unread = {0};
	size_t length;
	const char *text = text_read_file(run->arena, name, &length, &unread);
	if (text && strstr(text, " main("))
		diagnose(run->diagnostic, (struct place){.file = name},
			"cannot run: it is source code, expected a program: `nvcc -o app %s`, then `lockstep run "
			"./app`",
			name);
	else
		diagnose(run->diagnostic, (struct place){.file = name},
			"cannot run: it holds kernels, did you mean `lockstep kernel %s`?", name);
}

/* The message names the kind of file where it looks like another kind. */
static void refuse_program(struct run *run, int why)
{
	const char *name = run->options->program[0], *processor;
	struct place place = {.file = name};
	struct stat status;
	bool is_there = !stat(name, &status), is_executable = is_there && !access(name, X_OK);
	if (!strcmp(run->options->program[-1], "--profile") && !is_executable)
		diagnose(run->diagnostic, (struct place){.file = "lockstep run"},
			"--profile %s: expected a file that is called " PROFILE_NAMES ", or a program", name);
	else if (file_kind_is_foreign(run_find_program(run), &processor))
		diagnose(run->diagnostic, place, "cannot run: it is a program for %s: expected one for this machine",
			processor);
	else if (is_there && S_ISDIR(status.st_mode))
		diagnose(run->diagnostic, place, "cannot run: it is a directory, expected a program");
	else if (is_there && is_kernel_file(name))
		refuse_kernels(run, name);
	else if (why == ENOENT && !strchr(name, '/') && is_there)
		diagnose(run->diagnostic, place, "cannot run: there is no such command, did you mean './%s'?", name);
	else if (why == ENOENT && is_there)
		refuse_interpreter(run);
	else
		diagnose(run->diagnostic, place, "cannot run: %s", strerror(why));
	if (!is_executable || file_kind_of(name) == FILE_FOREIGN)
		file_kind_explain(name, FILE_PROGRAM | FILE_PTX | FILE_SOURCE, "a program", run->diagnostic);
}

void run_child(struct run *run)
{
	struct sigaction before[_NSIG];
	struct guard guard;
	struct place place = {.file = run->options->program[0]};
	sigset_t all, mask;
	int ends[2], why = 0;
	pid_t parent = getpid();
	if (pipe2(ends, O_CLOEXEC)) {
		diagnose(run->diagnostic, place, "cannot run: %s", strerror(errno));
		return;
	}
	guard_begin(&guard, arena_printf(run->arena, CHANNEL_VARIABLE "=%s", channel_path(run, parent)));
	/* Held back until both sides are ready for them. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	pid_t child = fork();
	if (!child)
		become(run, ends[1], parent, &mask);
	why = errno;
	child_process = (sig_atomic_t)child;
	is_debugged = run->relay != NULL;
	catch_signals(before);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ends[1]);
	bool failed = child < 0 || read_failure(ends[0], &why);
	close(ends[0]);
	if (child > 0 && !failed && run->relay)
		debug_relay_serve(run->relay, child);
	else if (child > 0 && !failed && !run->options->report.style.quiet && isatty(STDERR_FILENO))
		show_progress(run, child);
	if (child > 0)
		wait_for(run, child);
	restore_signals(before);
	guard_end(&guard);
	run->end.started = !failed;
	if (failed)
		refuse_program(run, why);
}
