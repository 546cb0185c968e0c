/* The OpenCL driver's objects.
 *
 * Every object begins with a pointer to the table of entry points, as the loader demands, and counts two things: the
 * application's references, which it can ask for, and the holds that keep the memory: one while there are references,
 * and one for each object or command of ours that points here.
 *
 * host/command.h says which locks guard what. */
#ifndef LOCKSTEP_HOST_OPENCL_OBJECTS_H
#define LOCKSTEP_HOST_OPENCL_OBJECTS_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include "host/command.h"
#include "lockstep.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const cl_icd_dispatch driver_dispatch;

/* What an object is; never that of a freed one. */
enum object_kind {
	OBJECT_PLATFORM = 0x4c53704c,
	OBJECT_DEVICE,
	OBJECT_CONTEXT,
	OBJECT_QUEUE,
	OBJECT_MEMORY,
	OBJECT_SAMPLER,
	OBJECT_PROGRAM,
	OBJECT_KERNEL,
	OBJECT_EVENT,
};

/* A property list as the application gave it, with its final 0, for the queries that give it back. */
struct property_list {
	cl_bitfield *at;
	size_t count;
};

struct object {
	const cl_icd_dispatch *dispatch;
	enum object_kind kind;
	atomic_uint references, holds;
	struct _cl_context *context; /* held; of a context null */
	struct property_list properties;
	/* the application has no reference left, commands may hold it; may be null */
	void (*released)(struct object *);
	void (*destroy)(struct object *); /* frees what is its own alone; nothing points to it any more; may be null */
};

/* Zeroed, with one reference; null when there is no memory.  `bytes` are those of the whole object; `properties` may be
 * null. */
void *object_new(enum object_kind kind, size_t bytes, void (*destroy)(struct object *), struct _cl_context *context,
	const cl_bitfield *properties);
bool object_is(const void *object, enum object_kind kind); /* null is nothing */
void object_hold(void *object);
void object_drop(void *object);
/* The application's; false when it has none left. */
bool object_retain(void *object);
bool object_release(void *object);

/* clRetainNAME and clReleaseNAME of a kind of object. */
#define OBJECT_COUNTED(name, type, kind, invalid)                                                                      \
	CL_API_ENTRY cl_int CL_API_CALL clRetain##name(type object)                                                    \
	{                                                                                                              \
		return object_is(object, kind) && object_retain(object) ? CL_SUCCESS : invalid;                        \
	}                                                                                                              \
	CL_API_ENTRY cl_int CL_API_CALL clRelease##name(type object)                                                   \
	{                                                                                                              \
		return object_is(object, kind) && object_release(object) ? CL_SUCCESS : invalid;                       \
	}

/* What a function that makes an object returns; `why` goes to `errcode`, which may be null.  No object and CL_SUCCESS:
 * there is no memory for it. */
static inline void *created(void *object, cl_int why, cl_int *errcode)
{
	if (errcode)
		*errcode = object || why ? why : CL_OUT_OF_HOST_MEMORY;
	return object;
}

struct _cl_platform_id {
	struct object object;
};

struct _cl_device_id {
	struct object object;
};

/* The entries of the table: the exported functions may be bound to the loader's of the same name, these are not. */
cl_int platform_get_info(cl_platform_id id, cl_platform_info name, size_t size, void *value, size_t *size_ret);
cl_int platform_get_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);
void *platform_find_function(const char *name);
/* The platform, and its one device: null when the GPU cannot be opened. */
cl_platform_id platform_object(void);
cl_device_id device_object(void);

struct callback {
	struct callback *next;
	union {
		void(CL_CALLBACK *event)(cl_event, cl_int, void *);
		void(CL_CALLBACK *memory)(cl_mem, void *);
		void(CL_CALLBACK *context)(cl_context, void *);
	} call;
	cl_int status; /* of events: from which on it is to be called */
	void *data;
};

/* Adds a copy to those that are called when an object goes: the last registered first. */
cl_int callback_add(struct callback **callbacks, const struct callback *added);

struct _cl_context {
	struct object object;
	struct callback *callbacks; /* when it goes; last registered first */
};

struct _cl_command_queue {
	struct object object;
	cl_command_queue_properties flags;
	uint64_t number;           /* in the order of their making, from 0 */
	struct _cl_event *last;    /* held; in-order: the newest command */
	struct _cl_event *barrier; /* held; out-of-order: what later commands wait for */
	/* What is before the next command: in-order: all; out-of-order: its barrier; and all, for what waits for that.
	 */
	struct order order, all;
	cl_int failure; /* a kernel of this queue went wrong: what its commands get from then on */
};

/* A part of a memory object that the application has mapped. */
struct mapping {
	struct order_point point; /* of the command that maps it; none: not enqueued yet */
	uint64_t enqueued;        /* the host's number then */
	struct mapping *next;
	void *pointer;
	size_t offset, width, height, depth; /* in bytes from the object's first, bytes of a row, rows, slices */
	cl_map_flags flags;
};

struct _cl_mem {
	struct object object;
	cl_mem_flags flags;
	size_t bytes;
	void *host_pointer;     /* the application's memory, of CL_MEM_USE_HOST_PTR */
	struct _cl_mem *parent; /* of a sub-buffer, or an image on another object's memory; held */
	struct image *image;    /* null: it is a buffer */
	size_t origin;
	uint64_t address;  /* on the GPU */
	uint8_t *contents; /* the same, for us */
	bool is_shared;    /* host_pointer is shared virtual memory: the buffer is that memory */
	struct mapping *mappings;
	cl_uint map_count;
	struct callback *callbacks; /* last registered first */
	cl_mem previous, next;      /* all that are not destroyed */
};

struct _cl_sampler {
	struct object object;
	cl_bool is_normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
};

/* What kernels get for it: its state, as enum lockstep_sampler (lockstep/image.h). */
uint64_t sampler_handle(cl_sampler sampler);

/* A parameter of a kernel. */
struct program_argument {
	cl_kernel_arg_address_qualifier space;
	cl_kernel_arg_access_qualifier access;
	cl_kernel_arg_type_qualifier qualifiers;
	cl_mem_object_type image; /* the type of image that it takes; 0: none */
	bool is_sampler;
	char *type, *name;   /* type null: unknown */
	size_t offset, size; /* in the parameter block */
};

struct program_kernel {
	char *name, *attributes;
	struct program_argument *arguments;
	cl_uint argument_count;
	uint32_t required[3];
	const char *refusal; /* lockstep_kernel_refusal */
	struct lockstep_needs needs;
};

/* A built program.  Kernels hold it, so that it survives when the program is built again. */
struct program_code {
	atomic_uint holds;
	struct lockstep_module *module;
	struct program_kernel *kernels;
	cl_uint kernel_count;
};

struct _cl_program {
	struct object object;
	char *source; /* null when it was not made from source */
	char *ptx;    /* compiled, linked or given */
	char *all;    /* of an object whose `ptx` lacks functions: with them; null until it is asked for */
	char *options, *log;
	cl_build_status status;
	cl_program_binary_type type;
	struct program_code *code; /* executable only */
	atomic_uint kernels;       /* attached: the application has references to them */
};

struct argument_value {
	bool given;
	size_t size;
	uint8_t *bytes;         /* plain values; null for memory */
	struct _cl_mem *memory; /* not held: a kernel must not keep its arguments alive; may be null */
	uint64_t pointer;       /* shared virtual memory */
};

struct _cl_kernel {
	struct object object;
	struct _cl_program *program;
	struct program_code *code;
	const struct program_kernel *what;
	atomic_bool has_complained; /* of a launch that was refused */
	struct lockstep_needs needs;
	struct argument_value *arguments;
};

/* Answers a query: copies `bytes` of data, as every clGet...Info does. */
cl_int answer(const void *data, size_t bytes, size_t size, void *value, size_t *size_ret);
cl_int answer_text(const char *text, size_t size, void *value, size_t *size_ret);
/* `return ANSWER(cl_uint, 3);` in a function whose parameters have the specification's names. */
#define ANSWER_BYTES(data, bytes) answer(data, bytes, param_value_size, param_value, param_value_size_ret)
#define ANSWER(type, expression) ANSWER_BYTES(&(type){expression}, sizeof(type))
#define ANSWER_TEXT(text) answer_text(text, param_value_size, param_value, param_value_size_ret)
#define ANSWER_PROPERTIES(o) ANSWER_BYTES((o)->object.properties.at, (o)->object.properties.count * sizeof(cl_bitfield))

#endif
