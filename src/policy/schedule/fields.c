/* Reads settings of schedulers' own fields. */
#include "policy/schedule/fields.h"

#include "policy/policy.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 32 /* of one scheduler, that a message names */

static uint32_t field_count(const struct warp_scheduler *s)
{
	uint32_t count = 0;
	while (s->fields && s->fields[count].name)
		count++;
	return count;
}

bool schedule_check_fields(const struct warp_scheduler *s, struct diagnostic *diagnostic)
{
	for (const struct schedule_field *f = s->fields; f && f->name; f++) {
		if (!f->unit || !f->meaning)
			diagnose(diagnostic, (struct place){0}, "field '%s.%s' lacks a unit or a meaning", s->name,
				f->name);
		else if (f->value < f->minimum || f->value > f->maximum)
			diagnose(diagnostic, (struct place){0},
				"field '%s.%s' is %" PRIu32 ", expected %" PRIu32 " to %" PRIu32, s->name, f->name,
				f->value, f->minimum, f->maximum);
	}
	return !diagnostic->failed;
}

/* The scheduler before the dot of "SCHEDULER.FIELD=VALUE"; null: the setting is not of this form. */
static const struct warp_scheduler *owner_of(const char *setting)
{
	size_t length = strcspn(setting, ".=");
	const struct policy *p;
	for (size_t k = 0; setting[length] == '.' && (p = policy_at(POLICY_scheduler, k)); k++) {
		const struct warp_scheduler *s = (const void *)p;
		if (s->fields && strlen(s->name) == length && !memcmp(s->name, setting, length))
			return s;
	}
	return NULL;
}

bool schedule_owns(const char *setting)
{
	return owner_of(setting);
}

static uint32_t find_field(const struct warp_scheduler *s, const char *name, struct diagnostic *diagnostic)
{
	const char *names[FIELDS_MAX];
	char all[512] = "";
	uint32_t count = field_count(s), known = count < FIELDS_MAX ? count : FIELDS_MAX;
	for (uint32_t k = 0; k < count; k++)
		if (!strcmp(s->fields[k].name, name))
			return k;
	for (uint32_t k = 0, length = 0; k < known && length < sizeof all; k++) {
		names[k] = s->fields[k].name;
		length += (uint32_t)snprintf(all + length, sizeof all - length, "%s %s", k ? "," : "", names[k]);
	}
	const char *nearest = text_nearest(name, names, known);
	if (nearest)
		diagnose(diagnostic, (struct place){0}, "scheduler '%s' has no field '%s', did you mean '%s'?", s->name,
			name, nearest);
	else
		diagnose(diagnostic, (struct place){0}, "scheduler '%s' has no field '%s'; it has%s", s->name, name,
			all);
	return count;
}

/* Of one setting: which field, and its value. */
static bool read_setting(struct arena *arena, const struct warp_scheduler *s, const char *setting, uint32_t *field,
	uint32_t *value, struct diagnostic *diagnostic)
{
	const char *name = setting + strlen(s->name) + 1, *equals = strchr(name, '=');
	int64_t number;
	if (!equals) {
		diagnose(diagnostic, (struct place){0}, "bad setting '%s', expected KEY=VALUE", setting);
		return false;
	}
	*field = find_field(s, arena_copy(arena, name, (size_t)(equals - name)), diagnostic);
	if (diagnostic->failed)
		return false;
	const struct schedule_field *f = &s->fields[*field];
	if (!text_to_s64(equals + 1, &number) || number < f->minimum || number > f->maximum) {
		diagnose(diagnostic, (struct place){0}, "'%s.%s' is '%s', expected %" PRIu32 " to %" PRIu32 " %s",
			s->name, f->name, equals + 1, f->minimum, f->maximum, f->unit);
		return false;
	}
	*value = (uint32_t)number;
	return true;
}

const uint32_t *schedule_read_fields(struct arena *arena, const struct warp_scheduler *scheduler,
	const char *const *settings, struct diagnostic *diagnostic)
{
	uint32_t count = field_count(scheduler), *values = arena_new_array(arena, uint32_t, count + 1);
	for (uint32_t k = 0; k < count; k++)
		values[k] = scheduler->fields[k].value;
	for (; settings && *settings; settings++) {
		const struct warp_scheduler *owner = owner_of(*settings);
		uint32_t field, value;
		if (owner && !read_setting(arena, owner, *settings, &field, &value, diagnostic))
			return NULL;
		if (owner == scheduler)
			values[field] = value;
	}
	return values;
}
