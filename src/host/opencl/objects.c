/* What all objects share: their counts, property lists, answers to queries. */
#include "host/opencl/objects.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* False: no memory. */
static bool properties_copy(struct property_list *to, const cl_bitfield *list)
{
	if (!list)
		return true;
	while (list[to->count])
		to->count += 2;
	to->count++;
	to->at = calloc(to->count, sizeof *list);
	if (to->at)
		memcpy(to->at, list, to->count * sizeof *list);
	return to->at;
}

void *object_new(enum object_kind kind, size_t bytes, void (*destroy)(struct object *), struct _cl_context *context,
	const cl_bitfield *properties)
{
	struct object *object = calloc(1, bytes);
	if (!object || !properties_copy(&object->properties, properties)) {
		free(object);
		return NULL;
	}
	object->dispatch = &driver_dispatch;
	object->kind = kind;
	object->destroy = destroy;
	object->context = context;
	if (context)
		object_hold(context);
	atomic_init(&object->references, 1);
	atomic_init(&object->holds, 1);
	return object;
}

bool object_is(const void *object, enum object_kind kind)
{
	return object && ((const struct object *)object)->kind == kind;
}

void object_hold(void *object)
{
	assert(atomic_load(&((struct object *)object)->holds)); /* else it is being freed */
	atomic_fetch_add(&((struct object *)object)->holds, 1);
}

void object_drop(void *object)
{
	struct object *o = object;
	assert(!o || atomic_load(&o->holds));
	if (!o || atomic_fetch_sub(&o->holds, 1) != 1)
		return;
	o->kind = 0;
	if (o->destroy)
		o->destroy(o);
	object_drop(o->context);
	free(o->properties.at);
	free(o);
}

/* How many there were: 0 stays 0. */
static unsigned change_references(struct object *o, unsigned by)
{
	unsigned count = atomic_load(&o->references);
	while (count && !atomic_compare_exchange_weak(&o->references, &count, count + by))
		;
	return count;
}

bool object_retain(void *object)
{
	return change_references(object, 1);
}

bool object_release(void *object)
{
	struct object *o = object;
	unsigned count = change_references(o, -1u);
	if (count == 1 && o->released)
		o->released(o);
	if (count == 1)
		object_drop(o);
	return count;
}

cl_int answer(const void *data, size_t bytes, size_t size, void *value, size_t *size_ret)
{
	if (value && size < bytes)
		return CL_INVALID_VALUE;
	if (value && bytes)
		memcpy(value, data, bytes);
	if (size_ret)
		*size_ret = bytes;
	return CL_SUCCESS;
}

cl_int answer_text(const char *text, size_t size, void *value, size_t *size_ret)
{
	return answer(text, strlen(text) + 1, size, value, size_ret);
}

cl_int callback_add(struct callback **callbacks, const struct callback *added)
{
	struct callback *callback = malloc(sizeof *callback);
	if (!callback)
		return CL_OUT_OF_HOST_MEMORY;
	*callback = *added;
	mutex_lock(&driver_lock);
	callback->next = *callbacks;
	*callbacks = callback;
	mutex_unlock(&driver_lock);
	return CL_SUCCESS;
}
