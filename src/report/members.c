/* Members of JSON objects: see members.h. */
#include "report/members.h"

#include "report/reports.h"

#include <string.h>

bool is_same_place(json_object *a, json_object *b)
{
	return number_of(a, "line") == number_of(b, "line") && !strcmp(text_of(a, "file"), text_of(b, "file"));
}

json_object *array_of_numbers(const uint64_t *numbers, size_t count)
{
	json_object *array = json_object_new_array_ext((int)count);
	for (size_t k = 0; k < count; k++)
		json_object_array_add(array, json_object_new_uint64(numbers[k]));
	return array;
}

json_object *array_of_texts(const char *const *texts, size_t count)
{
	json_object *array = json_object_new_array_ext((int)count);
	for (size_t k = 0; k < count; k++)
		json_object_array_add(array, texts[k] ? report_string(texts[k]) : NULL);
	return array;
}

json_object *triple_of(const uint32_t size[3])
{
	return array_of_numbers((const uint64_t[]){size[0], size[1], size[2]}, 3);
}

const char *triple_text(struct arena *arena, json_object *triple)
{
	uint32_t at[3];
	for (size_t k = 0; k < 3; k++)
		at[k] = (uint32_t)json_object_get_uint64(element(triple, k));
	return arena_printf(arena, "%u,%u,%u", at[0], at[1], at[2]);
}

static const char *text_at(const void *at)
{
	return *(const char *const *)at;
}

static bool is_any(const struct member_row *row, const void *at)
{
	switch (row->type) {
	case MEMBER_U64: return *(const uint64_t *)at;
	case MEMBER_U32: return *(const uint32_t *)at;
	case MEMBER_FLAG: return *(const bool *)at;
	case MEMBER_TEXT: return text_at(at) && *text_at(at);
	default: return true;
	}
}

static json_object *real_of(double value)
{
	char text[VALUE_TEXT_BYTES];
	value_json_double(value, text);
	return json_object_new_double_s(value, text);
}

static json_object *value_of(const struct member_row *row, const void *at)
{
	switch (row->type) {
	case MEMBER_U64: return json_object_new_uint64(*(const uint64_t *)at);
	case MEMBER_U32: return json_object_new_uint64(*(const uint32_t *)at);
	case MEMBER_REAL: return real_of(*(const double *)at);
	case MEMBER_FLAG: return json_object_new_boolean(*(const bool *)at);
	case MEMBER_TRIPLE: return triple_of(at);
	case MEMBER_TEXT: break;
	}
	return text_at(at) ? report_string(text_at(at)) : row->or_null ? NULL : json_object_new_string("");
}

/* There may be thousands of locks, so json-c neither looks for the keys nor copies them. */
void members_add(json_object *object, const struct member_row *rows, const void *of)
{
	for (; rows->name; rows++) {
		const void *at = (const char *)of + rows->offset;
		if (!rows->if_any || is_any(rows, at))
			json_object_object_add_ex(object, rows->name, value_of(rows, at),
				JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_ADD_CONSTANT_KEY);
	}
}

json_object *members_object(const struct member_row *rows, const void *of)
{
	json_object *object = json_object_new_object();
	members_add(object, rows, of);
	return object;
}

json_object *members_array(const struct member_row *rows, const void *array, size_t count, size_t bytes)
{
	json_object *objects = json_object_new_array_ext((int)count);
	for (size_t k = 0; k < count; k++)
		json_object_array_add(objects, members_object(rows, (const char *)array + k * bytes));
	return objects;
}

void members_add_up(void *to, const struct member_row *rows, json_object *object)
{
	for (; rows->name; rows++)
		if (rows->type == MEMBER_U64)
			*(uint64_t *)((char *)to + rows->offset) += number_of(object, rows->name);
}
