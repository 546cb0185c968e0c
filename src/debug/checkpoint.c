/* Checkpoints: writing them while a launch runs, and going on from one (checkpoint.h). */
#include "debug/checkpoint.h"

#include "machine/gpu/launches.h"
#include "machine/gpu/machine.h"
#include "machine/state/machine.h"
#include "util/digest.h"
#include "util/new_file.h"
#include "util/pages.h"
#include "util/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "Lockstep checkpoint, version 1\n"
#define LOOKS 65536 /* cycles between two looks whether the caller interrupts */

struct head {
	char magic[32];
	uint8_t executable[16], launch[16]; /* digests */
	uintptr_t anchor;                   /* of a function: the executable lies where it lay */
	struct gpu *gpu;
	uint64_t at; /* clock of the launch */
};

struct checkpoint {
	struct gpu *gpu;
	const struct lockstep_checkpoint *what;
	struct arena arena; /* its own, apart */
	uint8_t launch[16];
	const volatile sig_atomic_t *interrupt; /* the caller's */
	volatile sig_atomic_t ends;
	bool is_written;
	char *error; /* why it was not; in `arena` */
};

struct checkpoint *checkpoint_create(struct gpu *gpu, const struct lockstep_checkpoint *what)
{
	bool apart = pages_apart(true);
	struct arena arena = {0};
	struct checkpoint *c = arena_new(&arena, struct checkpoint);

	pages_apart(apart);
	c->arena = arena;
	c->gpu = gpu;
	c->what = what;
	c->interrupt = gpu->options.interrupt;
	if (what->file)
		gpu->options.interrupt = &c->ends;
	return c;
}

void checkpoint_destroy(struct checkpoint *c)
{
	struct arena arena = c ? c->arena : (struct arena){0}; /* it lies in it */

	arena_free(&arena);
}

/* ---- The file ---- */

static void digest_executable(struct arena *arena, uint8_t bytes[16])
{
	struct diagnostic diagnostic = {0};
	struct digest digest;
	size_t length = 0;
	const char *all = text_read_file(arena, "/proc/self/exe", &length, &diagnostic);

	digest_begin(&digest, arena);
	digest_add(&digest, all, all ? length : 0);
	digest_end(&digest);
	memcpy(bytes, digest.bytes, sizeof digest.bytes);
}

static void fill_head(struct checkpoint *c, struct head *head)
{
	struct arena arena = {0};

	*head = (struct head){.magic = MAGIC, .anchor = (uintptr_t)checkpoint_create, .gpu = c->gpu};
	memcpy(head->launch, c->launch, sizeof head->launch);
	digest_executable(&arena, head->executable);
	arena_free(&arena);
}

#define BLOCK 65536 /* bytes that the digest takes at a time */

struct stream {
	FILE *file;
	struct digest digest;
	size_t filled; /* of `block`; while it is written */
	uint8_t block[BLOCK];
};

static bool flush(struct stream *s)
{
	size_t filled = s->filled;

	digest_add(&s->digest, s->block, filled);
	s->filled = 0;
	return fwrite(s->block, 1, filled, s->file) == filled;
}

static bool put(void *context, const void *data, size_t size)
{
	struct stream *s = context;

	for (const uint8_t *at = data; size;) {
		size_t room = BLOCK - s->filled, some = size < room ? size : room;

		memcpy(s->block + s->filled, at, some);
		s->filled += some;
		at += some;
		size -= some;
		if (s->filled == BLOCK && !flush(s))
			return false;
	}
	return true;
}

static bool put_all(struct checkpoint *c, FILE *file)
{
	struct arena arena = {0};
	struct stream s = {.file = file};
	struct head head;
	const struct machine *machine = c->gpu->machine;
	bool good;

	fill_head(c, &head);
	head.at = machine->mode->elapsed(machine, machine->launches.first);
	digest_begin(&s.digest, &arena);
	good = put(&s, &head, sizeof head) && pages_write(put, &s) && flush(&s);
	digest_end(&s.digest);
	good = good && fwrite(s.digest.bytes, 1, sizeof s.digest.bytes, file) == sizeof s.digest.bytes;
	arena_free(&arena);
	return good;
}

/* The file is whole or not there. */
static void write_file(struct checkpoint *c)
{
	bool apart = pages_apart(true), good = false;
	struct new_file made;
	FILE *file;

	errno = 0;
	if (new_file_begin(&made, c->what->file, 0)) {
		file = fdopen(made.descriptor, "wb");
		good = file && put_all(c, file);
		int reason = errno;

		if (file)
			good = !fclose(file) && good;
		errno = good ? errno : reason;
		good = new_file_end(&made, good) && good;
	}
	c->is_written = good;
	if (!good)
		c->error = arena_printf(&c->arena, "cannot be written: %s", strerror(errno));
	pages_apart(apart);
}

/* ---- Going on from one ---- */

static bool get(void *context, void *data, size_t size)
{
	struct stream *s = context;

	return fread(data, 1, size, s->file) == size;
}

/* The digest at the end is that of all in front of it: nothing is cut off or changed. */
static bool is_whole(FILE *file)
{
	struct arena arena = {0};
	struct stream s = {.file = file};
	uint8_t bytes[16];
	long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
	bool good = size >= (long)(sizeof(struct head) + sizeof bytes) && !fseek(file, 0, SEEK_SET);
	size_t left = good ? (size_t)size - sizeof bytes : 0;

	digest_begin(&s.digest, &arena);
	for (size_t some; good && left; left -= some) {
		some = left < BLOCK ? left : BLOCK;
		good = fread(s.block, 1, some, file) == some;
		digest_add(&s.digest, s.block, some);
	}
	digest_end(&s.digest);
	good = good && fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
	       !memcmp(bytes, s.digest.bytes, sizeof bytes);
	arena_free(&arena);
	return good && !fseek(file, (long)sizeof(struct head), SEEK_SET);
}

/* What keeps the file from being read; null: nothing. */
static const char *refusal(struct checkpoint *c, FILE *file)
{
	struct head head, own;

	fill_head(c, &own);
	if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.magic, own.magic, sizeof head.magic) != 0)
		return "is no checkpoint, expected a file that --checkpoint has written";
	if (memcmp(head.executable, own.executable, sizeof own.executable) != 0)
		return "is of another version of lockstep, expected one of the same executable";
	if (memcmp(head.launch, own.launch, sizeof own.launch) != 0)
		return "is of another launch, expected the same kernel, arguments, GPU and options";
	if (head.anchor != own.anchor)
		return "lies at addresses that this process does not have: it was not linked at fixed ones";
	if (!is_whole(file))
		return "is cut off or was changed, expected all that --checkpoint has written";
	if (head.gpu != own.gpu)
		return "was written by a process that came to the launch another way";
	return NULL;
}

static bool read_file(struct checkpoint *c, FILE *file, struct diagnostic *diagnostic)
{
	const struct lockstep_options own = c->gpu->options;
	struct gpu *gpu = c->gpu;
	struct stream s = {.file = file};
	const char *why = refusal(c, file);

	if (!why && !pages_read(get, &s))
		why = "cannot be read back";
	if (why)
		return diagnose(diagnostic, (struct place){.file = c->what->restored}, "%s", why);
	gpu->options = own;
	if (gpu->machine)
		machine_begin_threads(gpu->machine);
	return true;
}

bool checkpoint_begin(struct checkpoint *c, const uint8_t launch[16], struct diagnostic *diagnostic)
{
	bool apart = pages_apart(true), good;
	FILE *file;

	memcpy(c->launch, launch, sizeof c->launch);
	if (!c->what->restored) {
		pages_apart(apart);
		return true;
	}
	file = fopen(c->what->restored, "rbe");
	if (!file)
		diagnose(diagnostic, (struct place){.file = c->what->restored}, "cannot be read: %s", strerror(errno));
	good = file && read_file(c, file, diagnostic);
	if (file)
		fclose(file);
	pages_apart(apart);
	return good;
}

/* ---- While it runs ---- */

static uint64_t clock_of(const struct gpu *gpu)
{
	const struct machine *machine = gpu->machine;

	return machine && machine->launches.first ? machine->mode->elapsed(machine, machine->launches.first) : 0;
}

static bool is_interrupted(const struct checkpoint *c)
{
	return c->interrupt && *c->interrupt;
}

static void look(struct checkpoint *c)
{
	if (is_interrupted(c)) {
		write_file(c);
		c->ends = 1;
	} else if (c->what->at && !c->is_written && !c->error && clock_of(c->gpu) >= c->what->at) {
		write_file(c);
	}
}

bool checkpoint_finish(struct checkpoint *c, struct gpu_result *result)
{
	struct gpu *gpu = c->gpu;

	while (c->what->file && !c->ends) {
		uint64_t now = clock_of(gpu), next = now + LOOKS, at = c->what->at;

		gpu->pause.at = at > now && at < next ? at : next;
		if (gpu_finish(gpu, result))
			return true;
		if (!gpu->pause.reached)
			return false;
		gpu->stuck = false; /* nobody but us has stopped it */
		look(c);
	}
	gpu->pause.at = 0;
	return gpu_finish(gpu, result);
}

bool checkpoint_end(const struct checkpoint *c, struct diagnostic *diagnostic)
{
	struct place place = {.file = c->what->file};

	if (c->error)
		return diagnose(diagnostic, place, "%s", c->error);
	return c->is_written || !c->what->file || !c->what->at ||
	       diagnose(diagnostic, place, "was not written: the launch ended before %" PRIu64, c->what->at);
}
