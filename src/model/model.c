/* GPU models: reads gpus/NAME.cfg and users' files into struct gpu_model, sets single fields, checks that they fit
 * together. */
#include "model/model.h"

#include "model/divisions.h"
#include "model/gpu_files.h"
#include "util/text.h"

#include <assert.h>
#include <inttypes.h>
#include <libconfig.h>
#include <stdio.h>
#include <string.h>

/* A file whose base has a base ... this many times is a circle, or might as well be. */
#define BASE_DEPTH 8
#define PATH_BYTES 128

#define MODEL_IS_NAME_U32 0
#define MODEL_IS_NAME_NAME 1
const struct model_field model_fields[] = {
#define FIELD(type, name, path, unit, minimum, maximum, meaning)                                                       \
	{path, unit, meaning, minimum, maximum, offsetof(struct gpu_model, name), MODEL_IS_NAME_##type},
#include "model/fields.def"
#undef FIELD
};
#define FIELD_COUNT (sizeof model_fields / sizeof *model_fields)
const uint32_t model_field_count = FIELD_COUNT;

/* One model being read: bases first, then the files that refine them. */
struct reader {
	struct arena *arena;
	struct diagnostic *diagnostic;
	struct gpu_model *model;
	const char *sources[FIELD_COUNT]; /* null: the field has no value yet */
	const char *file;                 /* now being read, as messages name it */
	uint32_t next;                    /* the field after the last value */
};

static struct place place_of(const struct reader *r, const config_setting_t *setting)
{
	return (struct place){.file = r->file, .line = setting ? config_setting_source_line(setting) : 0};
}

uint64_t model_value(const struct gpu_model *model, uint32_t field)
{
	assert(!model_fields[field].is_name);
	return *(const uint32_t *)((const char *)model + model_fields[field].offset);
}

const char *model_text(const struct gpu_model *model, uint32_t field)
{
	assert(model_fields[field].is_name);
	return *(const char *const *)((const char *)model + model_fields[field].offset);
}

/* The field of this path, looked for from field `from` on, since files have most in their order; FIELD_COUNT when there
 * is none. */
static uint32_t find_field(const char *path, uint32_t from)
{
	for (uint32_t k = from; k < from + FIELD_COUNT; k++)
		if (!strcmp(model_fields[k % FIELD_COUNT].path, path))
			return k % FIELD_COUNT;
	return FIELD_COUNT;
}

static void unknown_key(struct diagnostic *diagnostic, struct place place, const char *path)
{
	const char *paths[FIELD_COUNT];
	for (uint32_t k = 0; k < FIELD_COUNT; k++)
		paths[k] = model_fields[k].path;
	const char *nearest = text_nearest(path, paths, FIELD_COUNT);
	if (nearest)
		diagnose(diagnostic, place, "unknown key '%s', did you mean '%s'?", path, nearest);
	else
		diagnose(diagnostic, place, "unknown key '%s'; `lockstep gpus NAME` lists the keys", path);
}

static bool store_number(
	struct gpu_model *model, uint32_t field, int64_t value, struct place place, struct diagnostic *diagnostic)
{
	const struct model_field *f = &model_fields[field];
	if (f->is_name) {
		diagnose(diagnostic, place, "'%s' is a number, expected a text in quotes (%s)", f->path, f->meaning);
		return false;
	}
	if (value < f->minimum || value > f->maximum) {
		diagnose(diagnostic, place, "'%s' is %" PRId64 ", expected %" PRIu32 " to %" PRIu32 " %s", f->path,
			value, f->minimum, f->maximum, f->unit);
		return false;
	}
	*(uint32_t *)((char *)model + f->offset) = (uint32_t)value;
	return true;
}

static bool store_text(struct arena *arena, struct gpu_model *model, uint32_t field, const char *value,
	struct place place, struct diagnostic *diagnostic)
{
	const struct model_field *f = &model_fields[field];
	if (!f->is_name) {
		diagnose(diagnostic, place, "'%s' is \"%.40s\", expected a number, %" PRIu32 " to %" PRIu32 " %s",
			f->path, value, f->minimum, f->maximum, f->unit);
		return false;
	}
	if (!*value) {
		diagnose(diagnostic, place, "'%s' is empty, expected %s", f->path, f->meaning);
		return false;
	}
	*(const char **)((char *)model + f->offset) = arena_text(arena, value);
	return true;
}

/* ---- Cores ---- */

static bool is_lesser(const struct gpu_model *model, uint32_t core)
{
	return core + model->lesser_cores >= model->core_count;
}

uint32_t model_core_threads(const struct gpu_model *model, uint32_t core)
{
	return is_lesser(model, core) ? model->lesser_threads : model->core_threads;
}

uint32_t model_core_shared(const struct gpu_model *model, uint32_t core)
{
	return is_lesser(model, core) ? model->lesser_shared : model->core_shared;
}

uint32_t model_core_warps(const struct gpu_model *model, uint32_t core)
{
	return model->core_warps ? model->core_warps : model_core_threads(model, core) / model->warp_size;
}

/* ---- Files ---- */

/* value = integer | text | "(" (integer | text) "," text ")" */
static void read_value(struct reader *r, config_setting_t *setting, const char *path)
{
	struct place place = place_of(r, setting);
	config_setting_t *value = setting, *source = NULL;
	uint32_t field = find_field(path, r->next);
	if (field == FIELD_COUNT) {
		unknown_key(r->diagnostic, place, path);
		return;
	}
	r->next = field + 1;
	if (config_setting_is_list(setting) && config_setting_length(setting) == 2) {
		value = config_setting_get_elem(setting, 0);
		source = config_setting_get_elem(setting, 1);
	}
	int type = config_setting_type(value);
	bool is_text = type == CONFIG_TYPE_STRING;
	if ((type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64 && !is_text) ||
		(source && config_setting_type(source) != CONFIG_TYPE_STRING)) {
		diagnose(r->diagnostic, place, "bad value of '%s', expected %s or (%s, \"source\")", path,
			model_fields[field].is_name ? "\"text\"" : "an integer",
			model_fields[field].is_name ? "\"text\"" : "integer");
		return;
	}
	bool good =
		is_text ? store_text(r->arena, r->model, field, config_setting_get_string(value), place, r->diagnostic)
			: store_number(r->model, field, config_setting_get_int64(value), place, r->diagnostic);
	const char *words = source ? config_setting_get_string(source) : NULL;
	if (good && words)
		r->sources[field] = arena_text(r->arena, words);
	else if (good)
		r->sources[field] = arena_printf(r->arena, "%s:%u", r->file, place.line);
}

/* group = { NAME (":" | "=") ("{" group "}" | value) ";" }   nested names joined by dots make a field's path */
static void read_group(struct reader *r, const config_setting_t *group, const char *prefix)
{
	for (int k = 0; k < config_setting_length(group) && !r->diagnostic->failed; k++) {
		config_setting_t *child = config_setting_get_elem(group, (unsigned)k);
		char path[PATH_BYTES];
		int length =
			snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", config_setting_name(child));
		if (length < 0 || (size_t)length >= sizeof path)
			diagnose(r->diagnostic, place_of(r, child), "unknown key '%.40s...'", path);
		else if (config_setting_is_group(child))
			read_group(r, child, path);
		else if (strcmp(path, "base"))
			read_value(r, child, path);
	}
}

static bool is_path(const char *name)
{
	return strpbrk(name, "/.") != NULL;
}

static const struct gpu_file *find_embedded(const char *name)
{
	for (size_t k = 0; k < gpu_file_count; k++)
		if (!strcmp(gpu_files[k].name, name))
			return &gpu_files[k];
	return NULL;
}

/* The text of a model, and in r->file how messages name it; null and an error when there is none. */
static const char *text_of(struct reader *r, const char *name, struct place place)
{
	const struct gpu_file *embedded = find_embedded(name);
	if (embedded) {
		r->file = arena_printf(r->arena, "gpus/%s.cfg", name);
		return embedded->text;
	}
	if (!is_path(name)) {
		size_t count;
		const char *const *names = model_names(&count);
		const char *nearest = text_nearest(name, names, count);
		diagnose(r->diagnostic, place, "unknown GPU '%s', %s%s%s", name,
			nearest ? "did you mean '" : "expected one that `lockstep gpus` lists, or a file",
			nearest ? nearest : "", nearest ? "'?" : "");
		return NULL;
	}
	size_t length = 0;
	const char *text = text_read_file(r->arena, name, &length, r->diagnostic);
	r->file = arena_text(r->arena, name);
	if (text && strlen(text) != length) {
		diagnose(r->diagnostic, place_of(r, NULL), "is not a text file");
		return NULL;
	}
	return text;
}

/* A base that is a file is looked for beside the file that names it. */
static const char *resolve_base(struct reader *r, const char *base)
{
	const char *slash = strrchr(r->file, '/');
	if (!is_path(base) || *base == '/' || !slash)
		return base;
	return arena_printf(r->arena, "%.*s%s", (int)(slash - r->file + 1), r->file, base);
}

static void read_model(struct reader *r, const char *name, struct place place, int depth);

/* base = "NAME";   read before what the file itself says */
static void read_base(struct reader *r, const config_t *config, int depth)
{
	config_setting_t *setting = config_lookup(config, "base");
	if (!setting)
		return;
	struct place place = place_of(r, setting);
	if (config_setting_type(setting) != CONFIG_TYPE_STRING) {
		diagnose(r->diagnostic, place, "bad value of 'base', expected a GPU's name or file in quotes");
		return;
	}
	if (depth == BASE_DEPTH) {
		diagnose(r->diagnostic, place, "'base' leads through more than %d files, expected one that ends",
			BASE_DEPTH);
		return;
	}
	const char *file = r->file, *base = resolve_base(r, config_setting_get_string(setting));
	read_model(r, base, place, depth + 1);
	r->file = file;
	for (uint32_t k = 0; k < FIELD_COUNT && !r->diagnostic->failed; k++)
		if (r->sources[k] && strncmp(r->sources[k], "as ", 3))
			r->sources[k] = arena_printf(r->arena, "as %s: %s", base, r->sources[k]);
}

/* Whether it is a time, in cycles of DRAM's clock: those of a burst are what the bus takes for its bytes. */
static bool is_dram_time(const struct model_field *field)
{
	return !strncmp(field->path, "dram.t", 6) && strncmp(field->path, "dram.tCCD", 9) != 0;
}

/* A file that gives DRAM another clock than its base has: times that it leaves as they are have other nanoseconds now,
 * which their sources say. */
static void tell_other_clock(struct reader *r, uint32_t clock, const char *const *sources)
{
	assert(r->model->clock_dram && clock);
	for (uint32_t k = 0; k < FIELD_COUNT && clock != r->model->clock_dram; k++)
		if (is_dram_time(&model_fields[k]) && r->sources[k] && r->sources[k] == sources[k])
			r->sources[k] =
				arena_printf(r->arena, "%s; as many cycles of %" PRIu32 " kHz, here of %" PRIu32,
					r->sources[k], clock, r->model->clock_dram);
}

static void read_model(struct reader *r, const char *name, struct place place, int depth)
{
	const char *text = text_of(r, name, place);
	if (!text)
		return;
	config_t config;
	uint32_t line = text_config_too_large(text);
	if (line) {
		diagnose(r->diagnostic, (struct place){.file = r->file, .line = line},
			"a number is too large, expected at most 2147483647, or an L behind it");
		return;
	}
	config_init(&config);
	if (config_read_string(&config, text)) {
		read_base(r, &config, depth);
		uint32_t clock = r->model->clock_dram;
		const char *inherited[FIELD_COUNT];
		memcpy(inherited, r->sources, sizeof inherited);
		read_group(r, config_root_setting(&config), "");
		if (clock && !r->diagnostic->failed)
			tell_other_clock(r, clock, inherited);
	} else {
		struct place error = {.file = r->file, .line = (uint32_t)config_error_line(&config)};
		diagnose(r->diagnostic, error, "%s, expected name = value; or name: { ... };",
			config_error_text(&config));
	}
	config_destroy(&config);
}

/* The first that is missing is said: a diagnostic keeps the first line. */
static void require_all(struct reader *r)
{
	for (uint32_t k = 0; k < FIELD_COUNT; k++) {
		const struct model_field *f = &model_fields[k];
		if (!r->sources[k])
			diagnose(r->diagnostic, place_of(r, NULL),
				"'%s' is missing (%s, %s); give it, or begin with base = \"gtx480\";", f->path,
				f->meaning, f->unit);
	}
}

/* "gtx480" of "gtx480", "mine" of "dir/mine.cfg" */
static const char *display_name(struct arena *arena, const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *start = slash ? slash + 1 : name;
	size_t length = strlen(start);
	if (length > 4 && !strcmp(start + length - 4, ".cfg"))
		length -= 4;
	return arena_copy(arena, start, length);
}

struct gpu_model *model_load(
	struct arena *arena, const char *name, const char ***sources, struct diagnostic *diagnostic)
{
	struct reader *r = arena_new(arena, struct reader);
	r->arena = arena;
	r->diagnostic = diagnostic;
	r->model = arena_new(arena, struct gpu_model);
	r->model->name = display_name(arena, name);
	read_model(r, name, (struct place){0}, 0);
	if (!diagnostic->failed)
		require_all(r);
	if (diagnostic->failed)
		return NULL;
	if (sources)
		*sources = r->sources;
	return r->model;
}

/* ---- One field ---- */

bool model_set(struct arena *arena, struct gpu_model *model, const char *assignment, struct diagnostic *diagnostic)
{
	struct place nowhere = {0};
	const char *equals = strchr(assignment, '=');
	if (!equals || equals == assignment) {
		diagnose(diagnostic, nowhere, "bad setting '%s', expected KEY=VALUE", assignment);
		return false;
	}
	const char *path = arena_copy(arena, assignment, (size_t)(equals - assignment)), *value = equals + 1;
	uint32_t field = find_field(path, 0);
	if (field == FIELD_COUNT) {
		unknown_key(diagnostic, nowhere, path);
		return false;
	}
	const struct model_field *f = &model_fields[field];
	if (f->is_name)
		return store_text(arena, model, field, value, nowhere, diagnostic);
	int64_t number;
	if (!text_to_s64(value, &number)) {
		diagnose(diagnostic, nowhere, "'%s' is '%s', expected a number, %" PRIu32 " to %" PRIu32 " %s", path,
			value, f->minimum, f->maximum, f->unit);
		return false;
	}
	return store_number(model, field, number, nowhere, diagnostic);
}

/* ---- All fields together ---- */

/* A rule between fields: what must hold, and the words for it. */
struct rule {
	bool holds;
	const char *words;
};

static bool is_power(uint32_t value)
{
	return value && !(value & (value - 1));
}

static bool divides(uint32_t part, uint32_t whole)
{
	return part && whole % part == 0;
}

static bool first_broken(
	const struct gpu_model *model, const struct rule *rules, size_t count, struct diagnostic *diagnostic)
{
	for (size_t k = 0; k < count; k++) {
		if (!rules[k].holds) {
			diagnose(diagnostic, (struct place){0}, "GPU '%s': %s", model->name, rules[k].words);
			return false;
		}
	}
	return true;
}

static bool check_core(const struct gpu_model *m, struct diagnostic *diagnostic)
{
	uint32_t warps = m->core_warps ? m->core_warps : m->core_threads / m->warp_size;
	const struct rule rules[] = {
#if LOCKSTEP_DEMO
		{m->warp_size == 32, "core.warp_size must be 32 in the command that `make demo` builds; `make` builds "
				     "the whole one"},
#endif
		{m->warp_size == 32 || m->warp_size == 64, "core.warp_size must be 32 or 64"},
		{divides(m->simd_width, m->warp_size), "core.warp_size must be a multiple of core.simd_width"},
		{divides(m->warp_size, m->core_threads), "core.threads must be a multiple of core.warp_size"},
		{(warps + m->schedulers - 1) / m->schedulers <= 64,
			"a scheduler may have at most 64 warps: fewer core.threads or more core.schedulers"},
		{m->schedulers <= warps, "core.schedulers must not be more than a core's warps"},
		{m->group_threads <= m->core_threads, "core.group_threads must not exceed core.threads"},
		{m->group_shared <= m->core_shared, "core.group_shared must not exceed core.shared"},
		{m->lesser_cores < m->core_count, "lesser.cores must be less than core.count"},
		{m->lesser_threads <= m->core_threads, "lesser.threads must not exceed core.threads"},
		{divides(m->warp_size, m->lesser_threads), "lesser.threads must be a multiple of core.warp_size"},
		{m->lesser_shared <= m->core_shared, "lesser.shared must not exceed core.shared"},
		{m->shared_unit <= m->core_shared || !m->core_shared, "core.shared_unit must not exceed core.shared"},
		{m->register_unit <= m->core_registers, "core.register_unit must not exceed core.registers"},
		{m->registers_override <= m->registers_max,
			"core.registers_override must not exceed core.registers_max"},
		{is_power(m->shared_banks), "shared.banks must be a power of two"},
		{m->shared_lock_bits || !m->shared_atomic_locks,
			"shared.atomic_locks 1 needs shared.lock_bits above 0"},
	};
	return first_broken(m, rules, sizeof rules / sizeof *rules, diagnostic);
}

static bool parts_are_even(const struct gpu_model *m)
{
	uint32_t units = m->l2_part_bytes / m->slice_interleave * m->l2_parts;
	return divides(m->slice_interleave, m->l2_part_bytes) && divides(units, m->channels);
}

static bool check_memory(const struct gpu_model *m, struct diagnostic *diagnostic)
{
	struct divisions divisions;
	const struct rule rules[] = {
		{is_power(m->line_bytes), "line.bytes must be 64 or 128"},
		{is_power(m->sector_bytes) && m->sector_bytes <= m->line_bytes,
			"line.sector must be 32, 64 or 128 and not exceed line.bytes"},
		{is_power(m->l2_sector) && m->l2_sector <= m->sector_bytes,
			"l2.sector must be 32, 64 or 128 and not exceed line.sector"},
		{is_power(m->fetch_line), "fetch.line must be 64 or 128"},
		{is_power(m->fetch_sets), "fetch.sets must be a power of two"},
		{is_power(m->l2_port), "l2.port must be a power of two"},
		{is_power(m->l1_sets), "l1.sets must be a power of two"},
		{is_power(m->control_sets), "control.sets must be a power of two"},
		{is_power(m->control_code_sets), "control.code_sets must be a power of two"},
		{is_power(m->l2_sets), "l2.sets must be a power of two"},
		{is_power(m->slice_interleave), "l2.interleave must be a power of two"},
		{divides(m->channels, m->slices), "l2.slices must be a multiple of dram.channels"},
		{m->l2_parts == 1 || parts_are_even(m), "with l2.parts 2 l2.part_bytes must be a multiple of "
							"l2.interleave, and dram.channels of twice the units in it"},
		{is_power(m->dram_banks), "dram.banks must be a power of two"},
		{is_power(m->dram_groups), "dram.groups must be a power of two"},
		{divides(m->dram_groups, m->dram_banks), "dram.banks must be a multiple of dram.groups"},
		{is_power(m->dram_row_bytes), "dram.row must be a power of two"},
		{is_power(m->dram_burst_bytes), "dram.burst_bytes must be a power of two"},
		{divides(m->dram_burst_bytes, m->dram_row_bytes), "dram.row must be a multiple of dram.burst_bytes"},
		{m->dram_tRC >= m->dram_tRAS, "dram.tRC must not be less than dram.tRAS"},
		{m->dram_tRAS >= m->dram_tRCD, "dram.tRAS must not be less than dram.tRCD"},
		{divisions_read(m, &divisions), "l1.divisions must be \"none\", or at most 16 sizes in KB, each larger "
						"than the one before, each a whole number of the L1's ways and less "
						"than all of them"},
	};
	return first_broken(m, rules, sizeof rules / sizeof *rules, diagnostic);
}

bool model_check(const struct gpu_model *model, struct diagnostic *diagnostic)
{
	return check_core(model, diagnostic) && check_memory(model, diagnostic);
}

const char *const *model_names(size_t *count)
{
	static const char *names[256];
	assert(gpu_file_count <= sizeof names / sizeof *names);
	for (size_t k = 0; k < gpu_file_count; k++)
		names[k] = gpu_files[k].name;
	*count = gpu_file_count;
	return names;
}
