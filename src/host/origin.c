/* Callers of allocations, and their names: see origin.h. */
#include "host/origin.h"

#include "host/source_line.h"
#include "util/arena.h"
#include "util/demangle.h"
#include "util/lookup.h"
#include "util/mutex.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if LOCKSTEP_BACKTRACE
#include <backtrace.h>
#endif

#define FRAMES 32      /* that are looked at, this library's included */
#define MOST (1 << 16) /* chains of callers that are kept */

struct origin {
	const char *call, *otherwise;
	const char *name;
	bool is_named;
	uint32_t count;
	void *callers[]; /* the innermost first: addresses to which calls return */
};

static struct {
	pthread_mutex_t lock;
	struct arena arena;
	struct lookup origins; /* pointers, by a hash of the callers */
	struct lookup places;  /* texts, by kind and number */
	struct backtrace_state *state;
} all = {.lock = MUTEX_INITIALIZER};

/* The linker's names for the first byte of this library and the first one past its end. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_own(const void *code)
{
	return (uintptr_t)code >= (uintptr_t)__ehdr_start && (uintptr_t)code < (uintptr_t)_end;
}

/* "cuMemAlloc_v2" is written cuMemAlloc. */
static const char *written_name(const char *symbol)
{
	const char *version = strrchr(symbol, '_');
	bool has_version = version && version > symbol && (!strncmp(version, "_v", 2) || !strcmp(version, "_ptsz"));
	return arena_copy(&all.arena, symbol, has_version ? (size_t)(version - symbol) : strlen(symbol));
}

/* The outermost function of this library is what the program has called. */
static const char *called(const void *code, const char *otherwise)
{
	Dl_info info;
	bool is_known = code && dladdr(code, &info) && info.dli_sname && !strncmp(info.dli_sname, "cu", 2);
	return is_known ? written_name(info.dli_sname) : otherwise;
}

static uint64_t hash_of(void *const *callers, uint32_t count)
{
	uint64_t hash = count;
	for (uint32_t k = 0; k < count; k++)
		hash = lookup_mix(hash, (uintptr_t)callers[k]);
	return hash;
}

struct origin *origin_here(const char *call, const char *otherwise)
{
	void *frames[FRAMES];
	uint32_t depth = (uint32_t)backtrace(frames, FRAMES), own = 0;
	while (own < depth && !is_own(frames[own])) /* a sanitizer's backtrace calls the system's */
		own++;
	while (own < depth && is_own(frames[own]))
		own++;
	uint32_t count = depth - own;
	uint64_t hash = hash_of(frames + own, count);
	struct origin *o;

	mutex_lock(&all.lock);
	for (; (o = lookup_get_pointer(&all.origins, hash)); hash++) /* of those with one hash the next */
		if (o->count == count && o->otherwise == otherwise &&
			!memcmp(o->callers, frames + own, count * sizeof *frames))
			break;
	if (!o && all.origins.count < MOST) {
		o = arena_alloc(&all.arena, sizeof *o + count * sizeof *frames);
		*o = (struct origin){
			.call = called(own ? frames[own - 1] : NULL, call), .otherwise = otherwise, .count = count};
		memcpy(o->callers, frames + own, count * sizeof *frames);
		*lookup_at(&all.arena, &all.origins, hash) = (uintptr_t)o;
	}
	mutex_unlock(&all.lock);
	return o;
}

const char *origin_place(const char *kind, uint64_t number)
{
	mutex_lock(&all.lock);
	uint64_t *text = lookup_at(&all.arena, &all.places, lookup_mix((uintptr_t)kind, number));
	if (!*text)
		*text = (uintptr_t)arena_printf(&all.arena, "%s %llu", kind, (unsigned long long)number);
	const char *place = (const char *)(uintptr_t)*text;
	mutex_unlock(&all.lock);
	return place;
}

/* ---- Names ---- */

/* What is known of a caller. */
struct caller {
	const char *line;     /* "app.cu:12"; null: no debug information */
	const char *function; /* null: unknown */
	bool is_installed;    /* the line is */
};

#if LOCKSTEP_BACKTRACE
static bool is_installed(const char *file)
{
	return !strncmp(file, "/usr/", 5) || !strncmp(file, "/opt/", 5);
}

static void ignore_error(void *context, const char *message, int number)
{
	(void)context, (void)message, (void)number;
}

/* Of what was inlined there, the innermost first: the first that is no installed header's ends it. */
static int see_line(void *context, uintptr_t code, const char *file, int line, const char *function)
{
	struct caller *c = context;
	(void)code;
	if (!file || line <= 0)
		return 0;
	bool goes_on = is_installed(file);
	if (!c->line || c->is_installed) {
		c->line = arena_printf(&all.arena, "%s:%d", source_path(&all.arena, file, strlen(file)), line);
		c->function = function;
		c->is_installed = goes_on;
	}
	return !goes_on;
}

static void see_symbol(void *context, uintptr_t code, const char *symbol, uintptr_t value, uintptr_t size)
{
	(void)code, (void)value, (void)size;
	((struct caller *)context)->function = symbol;
}

static void look_up(struct caller *c, uintptr_t code)
{
	if (!all.state)
		all.state = backtrace_create_state(NULL, 1, ignore_error, NULL);
	if (!all.state)
		return;
	backtrace_pcinfo(all.state, code, see_line, ignore_error, c);
	if (!c->line)
		backtrace_syminfo(all.state, code, see_symbol, ignore_error, c);
}
#else
static void look_up(struct caller *c, uintptr_t code)
{
	Dl_info info;
	if (dladdr((void *)code, &info))
		c->function = info.dli_sname;
}
#endif

/* Whether a caller is of the loader that programs of OpenCL are linked with. */
static bool is_loader(uintptr_t code)
{
	Dl_info info;
	const char *file = dladdr((void *)code, &info) ? info.dli_fname : NULL,
		   *slash = file ? strrchr(file, '/') : NULL;
	return file && !strncmp(slash ? slash + 1 : file, "libOpenCL.so", 12);
}

/* Whether a function without lines only passes the call on: cuda_runtime.h has a template cudaMalloc<T>. */
static bool is_wrapper(const struct origin *o, struct caller *c)
{
	size_t length = strlen(o->call);
	if (c->line || !c->function)
		return false;
	/* without what a compiler adds to copies of a function, as in "make.constprop.0" */
	c->function = demangle_short(&all.arena, arena_copy(&all.arena, c->function, strcspn(c->function, ".")));
	return !strncmp(c->function, o->call, length) && (!c->function[length] || c->function[length] == '<');
}

/* The innermost caller that is the program's; of what has installed headers' lines alone, the innermost. */
static struct caller find_caller(const struct origin *o)
{
	struct caller first = {0};
	for (uint32_t k = 0; k < o->count; k++) {
		struct caller c = {0};
		uintptr_t code = (uintptr_t)o->callers[k] - 1; /* in the call, not after it */
		if (is_loader(code))
			continue;
		look_up(&c, code);
		if (is_wrapper(o, &c))
			continue;
		if (c.line && c.is_installed) {
			first = first.line ? first : c;
			continue;
		}
		return first.line && !c.line ? first : c;
	}
	return first;
}

static const char *make_name(const struct origin *o)
{
	struct caller c = find_caller(o);
	if (c.line)
		return arena_printf(&all.arena, "%s at %s", o->call, c.line);
	if (c.function)
		return arena_printf(&all.arena, "%s in %s", o->call, c.function);
	return o->otherwise;
}

const char *origin_name(void *origin)
{
	struct origin *o = origin;
	mutex_lock(&all.lock);
	if (!o->is_named)
		o->name = make_name(o);
	o->is_named = true;
	const char *name = o->name;
	mutex_unlock(&all.lock);
	return name;
}
