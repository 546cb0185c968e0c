/* The simulated GPU: its options from the environment, its memory, its channel to `lockstep run`. */
#include "host/device.h"

#include "host/command.h"
#include "host/debug.h"
#include "host/host_race.h"
#include "host/origin.h"
#include "report/launch_record.h"
#include "report/members.h"
#include "report/provenance.h"
#include "report/reports.h"
#include "report/style.h"
#include "report/suppressions.h"
#include "util/demangle.h"
#include "util/file_limit.h"
#include "util/mutex.h"
#include "util/pages.h"
#include "util/terminal.h"
#include "util/text.h"
#include "util/vector.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct device device = {.channel = {.file = -1}};
static pthread_once_t open_once = PTHREAD_ONCE_INIT, options_once = PTHREAD_ONCE_INIT, channel_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t gpu_lock = MUTEX_INITIALIZER;
static _Thread_local bool holds_gpu;     /* this thread has that lock */
static struct arena strings;             /* of the options; lives as long as the process */
static struct diagnostic options_report; /* what is wrong with the environment */

/* What is to be freed when no kernel runs. */
static struct {
	pthread_mutex_t lock; /* the last in the order of locks */
	struct arena arena;
	VECTOR(struct doomed {
		uint64_t image;   /* its handle */
		uint64_t address; /* of memory */
		struct freed_by by;
		struct lockstep_module *module;
	})
	all;
} doomed = {.lock = MUTEX_INITIALIZER};

/* ---- The channel to `lockstep run` ---- */

static void open_channel(void)
{
	const char *path = getenv(CHANNEL_VARIABLE);
	if (path && channel_open(&device.channel, path))
		return;
	if (path && errno != ENOENT && errno != EACCES) /* else the command has ended, or is someone else's */
		device_say("nothing of process %d is in the report, whose channel it cannot open: %s", (int)getpid(),
			strerror(errno));
	device.channel.file = -1;
}

void device_reach(enum channel_stage stage)
{
	pthread_once(&channel_once, open_channel);
	channel_reach(&device.channel, stage);
}

void device_say(const char *format, ...)
{
	char line[1200];
	va_list list;
	va_start(list, format);
	vsnprintf(line, sizeof line, format, list);
	va_end(list);
	if (device.channel.file >= 0)
		terminal_clear_ahead();
	style_say(stderr, "lockstep: %s\n", line);
}

void device_complain(const char *format, ...)
{
	char line[1200];
	va_list list;
	va_start(list, format);
	vsnprintf(line, sizeof line, format, list);
	va_end(list);
	device_say("%s", line);
	channel_send(&device.channel, CHANNEL_NOTE, line, strlen(line));
}

void device_complain_of_kernel(const char *kernel, const char *format, ...)
{
	struct arena arena = {0};
	va_list list;
	va_start(list, format);
	device_complain("kernel %s: %s", demangle_brief(&arena, kernel), arena_vprintf(&arena, format, list));
	va_end(list);
	arena_free(&arena);
}

/* A name, NUL, a text. */
static void send_named(enum channel_kind kind, const char *name, const char *text)
{
	struct arena arena = {0};
	struct text record = {.arena = &arena};
	pthread_once(&channel_once, open_channel);
	text_append(&record, name, strlen(name) + 1);
	text_append(&record, text, strlen(text));
	channel_send(&device.channel, kind, record.at, record.length);
	arena_free(&arena);
}

void device_unsupported(const char *call, const char *format, ...)
{
	char line[1200];
	va_list list;
	va_start(list, format);
	vsnprintf(line, sizeof line, format, list);
	va_end(list);
	device_say("%s", line);
	send_named(CHANNEL_UNSUPPORTED, call, line);
}

void device_tell_source(const char *name, const char *text)
{
	send_named(CHANNEL_SOURCE, name, text);
}

void device_tell_unpinned(const char *name, const char *compiler, const char *why)
{
	json_object *record = json_object_new_object();
	pthread_once(&channel_once, open_channel);
	json_object_object_add(record, "source", json_object_new_string(name));
	json_object_object_add(record, "compiler", json_object_new_string(compiler));
	json_object_object_add(record, "why", json_object_new_string(why));
	const char *text = json_object_to_json_string(record);
	channel_send(&device.channel, CHANNEL_UNPINNED, text, strlen(text));
	json_object_put(record);
	device_say("%s was compiled by %s, not pinned: %s", name, compiler, why);
}

uint32_t device_enqueued(const char *kernel)
{
	return channel_enqueue(&device.channel, kernel);
}

void device_dequeued(uint32_t number)
{
	channel_dequeue(&device.channel, number);
}

/* What --suppressions names; the command has said what is wrong with it. */
static struct suppressions known;
static pthread_mutex_t known_lock = MUTEX_INITIALIZER; /* the last in the order of locks */

/* Marks those that are known. */
static void mark_known(json_object *findings)
{
	static bool is_read;
	const char *const *path = run_option_list(&run_options[RUN_OPTION_suppressions], device_options());
	struct diagnostic ignored = {0};
	mutex_lock(&known_lock);
	while (!is_read && *path)
		suppressions_read(&known, &strings, *path++, &ignored);
	is_read = true;
	suppressions_mark(&known, findings);
	mutex_unlock(&known_lock);
}

/* Under `lockstep run` its report says all, once and last: until then a word.  Else nothing else says it. */
static void say_finding(const char *kernel, const char *kind, const char *message, const char *more)
{
	const char *before = kernel ? "kernel " : "", *name = kernel ? kernel : "", *after = kernel ? ": " : "";
	if (device.channel.file < 0)
		device_say("%s%s%s%s%s", before, name, after, message, more);
	else
		device_say("%s%s%s%s, see the report", before, name, after, kind);
}

/* The first time. */
static void say_findings(const struct lockstep_result *result, const char *kernel)
{
	static bool said;
	if (said || !result->finding_count)
		return;
	json_object *findings = report_finding_list(result->findings, result->finding_count, result->kernel);
	mark_known(findings);
	json_object *left = suppressions_left(findings);
	size_t count = json_object_array_length(left);
	said = count > 0;
	if (said)
		say_finding(kernel, text_of(json_object_array_get_idx(left, 0), "kind"),
			text_of(json_object_array_get_idx(left, 0), "message"),
			count > 1 ? "; and more elsewhere" : "");
	json_object_put(left);
	json_object_put(findings);
}

void device_complain_of(const struct lockstep_result *result)
{
	struct arena arena = {0};
	const char *kernel = demangle_brief(&arena, result->kernel);
	if (result->outcome == LOCKSTEP_COMPLETED)
		say_findings(result, kernel);
	else if (result->finding_count)
		say_finding(kernel, result->findings[0].kind, result->findings[0].message, "");
	else
		device_complain("kernel %s: %s", kernel,
			result->outcome == LOCKSTEP_LIMIT ? "stopped at the limit of cycles" : "did not complete");
	arena_free(&arena);
}

void device_report_finding(
	const struct lockstep_finding *finding, uint32_t id, const char *kernel, uint64_t launch, bool complains)
{
	json_object *findings = report_finding_list(finding, 1, kernel),
		    *object = json_object_array_get_idx(findings, 0);
	mark_known(findings);
	if (complains && !suppressions_is_marked(findings, 0))
		say_finding(NULL, finding->kind, finding->message, "");
	json_object_object_del(object, "suppression");
	json_object_object_add(object, "process", json_object_new_uint64((uint64_t)getpid()));
	json_object_object_add(object, "id", json_object_new_uint64(id));
	json_object_object_add(object, "launch", json_object_new_uint64(launch));
	const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	if (device.channel.file >= 0)
		channel_send(&device.channel, CHANNEL_FINDING, text, strlen(text));
	json_object_put(findings);
}

/* Once for each. */
static void tell_module(const struct lockstep_origin *origin)
{
	static struct {
		pthread_mutex_t lock; /* the last in the order of locks */
		struct arena arena;
		VECTOR(const struct lockstep_origin *) all;
	} told = {.lock = MUTEX_INITIALIZER};
	bool is_told = false;
	mutex_lock(&told.lock);
	for (uint32_t k = told.all.count; k-- > 0 && !is_told;)
		is_told = told.all.at[k] == origin;
	if (!is_told) {
		json_object *module = provenance_module(origin);
		const char *text = json_object_to_json_string(module);
		channel_send(&device.channel, CHANNEL_MODULE, text, strlen(text));
		json_object_put(module);
		*vector_push(&told.arena, &told.all) = origin;
	}
	mutex_unlock(&told.lock);
}

/* What is wrong with it in plain words, where a number says so; null. */
static const char *refusal_words(struct arena *arena, const struct device_refusal *r)
{
	char digits[TEXT_DIGITS], most[TEXT_DIGITS];
	uint64_t threads = (uint64_t)r->block[0] * r->block[1] * r->block[2];
	if (!r->grid[0] || !r->grid[1] || !r->grid[2])
		return "no work-group";
	if (!threads)
		return "no thread";
	if (threads > device.group_threads)
		return arena_printf(arena, "%s threads in a work-group, at most %s", text_grouped(threads, digits),
			text_grouped(device.group_threads, most));
	if (r->shared > r->shared_room)
		return arena_printf(arena, "%s bytes of dynamic shared memory, at most %s",
			text_grouped(r->shared, digits), text_grouped(r->shared_room, most));
	return *r->why ? r->why : NULL;
}

void device_refuse(const struct device_refusal *r)
{
	struct arena arena = {0};
	const char *why = refusal_words(&arena, r);
	json_object *record = json_object_new_object();
	add_member(record, "kernel", report_string(r->kernel));
	add_member(record, "grid", triple_of(r->grid));
	add_member(record, "block", triple_of(r->block));
	add_number(record, "shared_bytes", r->shared);
	add_text(record, "error", r->error);
	if (why)
		add_text(record, "why", why);
	const char *text = json_object_to_json_string_ext(record, JSON_C_TO_STRING_PLAIN);
	pthread_once(&channel_once, open_channel);
	if (device.channel.file >= 0)
		channel_send(&device.channel, CHANNEL_REFUSED, text, strlen(text));
	json_object_put(record);
	arena_free(&arena);
}

void device_count_command(void)
{
	if (device.channel.own)
		atomic_fetch_add_explicit(&device.channel.own->commands, 1, memory_order_relaxed);
}

void device_announce(const struct lockstep_launch *launch)
{
	struct channel_slot *slot = device.channel.own;
	struct arena arena = {0};
	if (!slot)
		return;
	tell_module(lockstep_origin(launch->module));
	snprintf(slot->ptx, sizeof slot->ptx, "%s", lockstep_origin(launch->module)->ptx);
	memcpy(slot->grid, launch->grid, sizeof slot->grid);
	memcpy(slot->block, launch->block, sizeof slot->block);
	snprintf(slot->kernel, sizeof slot->kernel, "%s", launch->kernel);
	snprintf(slot->shown, sizeof slot->shown, "%s", demangle_brief(&arena, launch->kernel));
	arena_free(&arena);
	channel_begin(&device.channel);
}

void device_report(const struct lockstep_result *result, uint64_t stream)
{
	struct arena arena = {0};
	struct text text = {.arena = &arena};
	if (device.channel.file < 0)
		return;
	if (result) {
		tell_module(result->origin);
		launch_record_write(&text, result, stream);
		channel_send(&device.channel, CHANNEL_LAUNCH, text.at, text.length);
	}
	atomic_store(&device.channel.own->running, 0);
	arena_free(&arena);
}

/* ---- Options ---- */

/* Called while a kernel runs, from the thread that runs it. */
static void show_progress(void *context, uint64_t cycles, uint64_t warp_instructions, uint64_t done, uint64_t groups)
{
	struct channel_slot *slot = device.channel.own;
	(void)context;
	(void)groups;
	bool apart = pages_apart(true); /* the launch may go back, and what is known of the host stays */
	commands_look_around();
	pages_apart(apart);
	if (!slot)
		return;
	atomic_store_explicit(&slot->cycles, cycles, memory_order_relaxed);
	atomic_store_explicit(&slot->warp_instructions, warp_instructions, memory_order_relaxed);
	atomic_store_explicit(&slot->groups_done, done, memory_order_relaxed);
}

static void show_test(void *context, uint32_t test, uint32_t tests, uint64_t cycles)
{
	struct channel_slot *slot = device.channel.own;
	(void)context;
	if (!slot)
		return;
	atomic_store_explicit(&slot->cycles, cycles, memory_order_relaxed);
	atomic_store_explicit(&slot->tests, tests, memory_order_relaxed);
	atomic_store_explicit(&slot->test, test, memory_order_relaxed);
}

static void read_options(void)
{
	run_options_from_environment(&device.options, &strings, &options_report);
	if (front_end_gpu && !run_options_model_of_environment())
		device.options.setup.gpu = front_end_gpu;
}

const struct run_options *device_options(void)
{
	pthread_once(&options_once, read_options);
	return &device.options;
}

/* False: the environment is invalid, which has been reported. */
static bool complete_options(struct lockstep_options *setup)
{
	device_options();
	if (options_report.failed)
		device_say("%s", options_report.message);
	if (setup->trace && device.channel.process) /* a timeline for each process: the first gets the file itself */
		setup->trace = arena_printf(&strings, "%s.%u", setup->trace, device.channel.process + 1);
	/* Of the first process; the others' launches run to their ends. */
	setup->debug = device.channel.process ? NULL : debug_link_open(commands_may_act);
	setup->progress = show_progress;
	setup->confirming = show_test;
	setup->pause_when_stuck = true;
	setup->footprints = setup->check & LOCKSTEP_CHECK_RACES;
	if (setup->footprints)
		order_begin();
	return !options_report.failed;
}

/* ---- Opening ---- */

static uint64_t configured(const char *path)
{
	return lockstep_field(device.gpu, path).number;
}

/* "NVIDIA GeForce GTX 480: Fermi GF100, ..." is a NVIDIA GeForce GTX 480, unless the environment has another name. */
static void name_device(void)
{
	const char *text = lockstep_field(device.gpu, "description").text, *given = device.options.program.device_name;
	if (given) {
		snprintf(device.name, sizeof device.name, "%s", given);
		return;
	}
	if (!text || !*text)
		text = device.options.setup.gpu;
	snprintf(device.name, sizeof device.name, "%.*s (Lockstep)", (int)strcspn(text, ":,"), text);
}

static void read_model(void)
{
	name_device();
	device.has_control = strcmp(lockstep_field(device.gpu, "policy.control").text, "none") != 0;
	device.capability = (uint32_t)configured("core.capability");
	device.cores = (uint32_t)configured("core.count");
	device.core_threads = (uint32_t)configured("core.threads");
	device.core_groups = (uint32_t)configured("core.groups");
	device.core_shared = (uint32_t)configured("core.shared");
	device.shared_reserved = (uint32_t)configured("core.shared_reserved");
	device.concurrent_kernels = (uint32_t)configured("dispatch.concurrent_kernels");
	device.cluster_groups = (uint32_t)configured("cluster.groups");
	device.cluster_portable = (uint32_t)configured("cluster.portable");
	device.cluster_cores = (uint32_t)configured("cluster.cores");
	device.schedulers = (uint32_t)configured("core.schedulers");
	device.warp = (uint32_t)configured("core.warp_size");
	device.group_threads = (uint32_t)configured("core.group_threads");
	device.clock_khz = (uint32_t)configured("clock.core");
	device.group_shared = (uint32_t)configured("core.group_shared");
	device.registers = (uint32_t)configured("core.registers");
	device.memory_bytes = configured("memory.size") << 20;
	device.line_bytes = (uint32_t)configured("line.bytes");
	device.cache_bytes =
		configured("l2.slices") * configured("l2.sets") * configured("l2.ways") * device.line_bytes;
	device.constant_bytes = 65536;
	device.copy_bandwidth = configured("copy.bandwidth") * 1000000;
	device.copy_latency = configured("copy.latency");
	device.launch_latency = configured("dispatch.launch_latency");
}

static void send_session(void)
{
	struct arena arena = {0};
	struct text text = {.arena = &arena};
	if (device.channel.file < 0)
		return;
	report_json_session(&text, device.gpu, &device.options.setup);
	channel_send(&device.channel, CHANNEL_SESSION, text.at, text.length);
	arena_free(&arena);
}

/* ---- The end ----
 *
 * What is enqueued when the program calls exit is carried out, as on a GPU: by an exit handler that is registered when
 * the GPU is opened, so that objects created before are still there.  What the destructors of those objects enqueue is
 * carried out by our library's destructor, which runs after those of all that are linked with it.  The device stays
 * usable: nothing is freed. */

static pid_t opened_by; /* a forked child has nothing to complete */

bool device_lost_host_memory(void)
{
	static _Atomic bool said;
	if (!commands_are_ending())
		return false;
	if (!atomic_exchange(&said, true))
		device_complain("the program has ended without waiting for copies to its own memory, which may be "
				"gone: they are not made");
	return true;
}

static void finish_work(void)
{
	if (!device.gpu || opened_by != getpid())
		return;
	/* Where memory ended while this thread had the GPU, the worker would wait for it, and we for the worker. */
	channel_end(&device.channel, holds_gpu ? CHANNEL_END_INSIDE : commands_end());
}

/* A kernel that still runs, as after exit in a callback, keeps its timeline unfinished. */
__attribute__((destructor)) static void close_device(void)
{
	static struct lockstep_error error;
	if (!device.gpu || opened_by != getpid())
		return;
	finish_work();
	if (!mutex_try_lock(&gpu_lock))
		return;
	struct file_limit limit = file_limit_begin();
	if (!lockstep_end_trace(device.gpu, &error))
		device_complain("%s", error.message);
	file_limit_end(&limit);
	mutex_unlock(&gpu_lock);
}

static void open_device(void)
{
	struct lockstep_error error;
	pthread_once(&channel_once, open_channel);
	if (!complete_options(&device.options.setup))
		return;
	device.gpu = lockstep_open(&device.options.setup, &error);
	if (!device.gpu) {
		device_complain("%s", error.message);
		return;
	}
	opened_by = getpid();
	read_model();
	uint64_t probe = lockstep_allocate(device.gpu, 1, NULL);
	device.shares_pointers = (uint64_t)(uintptr_t)lockstep_map(device.gpu, probe, 1) == probe;
	lockstep_free(device.gpu, probe);
	send_session();
	atexit(finish_work);
}

struct device *device_get(void)
{
	pthread_once(&open_once, open_device);
	return device.gpu ? &device : NULL;
}

/* ---- Time ---- */

uint64_t device_nanoseconds(uint64_t cycles)
{
	return (uint64_t)((__uint128_t)cycles * 1000000 / device.clock_khz);
}

uint64_t device_launch_time(const struct lockstep_result *result)
{
	uint64_t cycles = result->cycles, rate = (uint64_t)device.cores * device.schedulers;
	if (result->mode == LOCKSTEP_FUNCTIONAL)
		cycles = device.launch_latency + (result->warp_instructions + rate - 1) / rate;
	return device_nanoseconds(cycles) + 1;
}

uint64_t device_copy_time(size_t bytes)
{
	return device.copy_latency + (uint64_t)((__uint128_t)bytes * 1000000000u / device.copy_bandwidth);
}

/* ---- Memory ---- */

static void free_memory(const struct doomed *what)
{
	if (what->by.origin)
		lockstep_freed_by(device.gpu, what->address, origin_name, what->by.origin, what->by.place);
	lockstep_free(device.gpu, what->address);
}

static void free_doomed(void)
{
	mutex_lock(&doomed.lock);
	for (uint32_t k = 0; k < doomed.all.count; k++)
		if (doomed.all.at[k].image)
			lockstep_image_destroy(device.gpu, doomed.all.at[k].image);
		else if (doomed.all.at[k].address)
			free_memory(&doomed.all.at[k]);
		else
			lockstep_unload(doomed.all.at[k].module);
	doomed.all.count = 0;
	mutex_unlock(&doomed.lock);
}

void device_lock(void)
{
	mutex_lock(&gpu_lock);
	if (!commands_in_worker())
		debug_link_acts();
	holds_gpu = true;
	free_doomed();
}

void device_unlock(void)
{
	holds_gpu = false;
	mutex_unlock(&gpu_lock);
}

uint64_t device_allocate(size_t bytes, const char *call, const char *name, uint8_t **contents)
{
	struct origin *origin = call ? origin_here(call, name) : NULL;
	device_lock();
	uint64_t address = lockstep_allocate(device.gpu, bytes, name);
	if (address && origin)
		lockstep_name_by(device.gpu, address, origin_name, origin);
	*contents = address ? lockstep_map(device.gpu, address, bytes) : NULL;
	device_unlock();
	if (address)
		host_race_placed(*contents, bytes, address, name, origin, true);
	return address;
}

void device_complain_of_memory(const char *call, size_t bytes)
{
	static atomic_bool said;
	char asked[TEXT_DIGITS], all[TEXT_DIGITS];
	if (!atomic_exchange(&said, true))
		device_complain(
			"%s of %s bytes failed: there is no room for them in the simulated GPU's memory of %s MiB; "
			"--set memory.size=MIB changes its size",
			call, text_grouped(bytes, asked), text_grouped(device.memory_bytes >> 20, all));
}

void device_undefine(uint64_t address, size_t bytes)
{
	device_lock();
	lockstep_undefine(device.gpu, address, bytes);
	device_unlock();
}

void device_wrote(const void *at, size_t bytes)
{
	if (device.gpu)
		lockstep_wrote(device.gpu, at, bytes);
}

void device_copy(const struct host_box *to, const struct host_box *from)
{
	for (size_t z = 0; z < to->depth; z++)
		for (size_t y = 0; y < to->height; y++) {
			uint8_t *row = (uint8_t *)(uintptr_t)to->at + z * to->slice + y * to->row;
			memmove(row, (const uint8_t *)from->at + z * from->slice + y * from->row, to->width);
			device_wrote(row, to->width);
		}
}

void device_expect_host_writes(uint64_t address)
{
	device_lock();
	debug_link_shares();
	lockstep_expect_host_writes(device.gpu, address);
	device_unlock();
	host_race_shared(address);
}

/* There must be memory for it: kept, it would change the addresses of all that follows, and so the results. */
static void free_later(struct doomed what)
{
	assert(!what.image + !what.address + !what.module >= 2); /* one of the three, or none */
	mutex_lock(&doomed.lock);
	*vector_push(&doomed.arena, &doomed.all) = what;
	mutex_unlock(&doomed.lock);
}

void device_free(uint64_t address, const struct freed_by *by)
{
	free_later((struct doomed){.address = address, .by = by ? *by : (struct freed_by){0}});
}

struct freed_by device_freeing(const char *call)
{
	return (struct freed_by){.origin = origin_here(call, call)};
}

void device_destroy_image(uint64_t handle)
{
	free_later((struct doomed){.image = handle});
}

void device_unload(struct lockstep_module *module)
{
	free_later((struct doomed){.module = module});
}

/* ---- --only KERNEL[:N] ---- */

/* How often each kernel that --only names has been launched. */
static struct only {
	const char *kernel;
	uint64_t which, launched; /* 0: every launch */
} * only;
static size_t only_count;
static bool only_read;

static void read_only(void)
{
	const char *const *lines = run_option_list(&run_options[RUN_OPTION_only], &device.options);
	only_read = true;
	while (lines[only_count])
		only_count++;
	only = arena_new_array(&strings, struct only, only_count + 1);
	for (size_t k = 0; k < only_count; k++) {
		const char *colon = strrchr(lines[k], ':');
		only[k].kernel = lines[k];
		if (colon && text_to_u64(colon + 1, &only[k].which))
			only[k].kernel = arena_copy(&strings, lines[k], (size_t)(colon - lines[k]));
	}
}

enum lockstep_mode device_mode_of(const char *kernel)
{
	bool chosen = false;
	if (!only_read)
		read_only();
	for (size_t k = 0; k < only_count; k++)
		if (demangle_is(kernel, only[k].kernel) && (++only[k].launched == only[k].which || !only[k].which))
			chosen = true;
	return chosen || !only_count ? device.options.setup.mode : LOCKSTEP_FUNCTIONAL;
}
