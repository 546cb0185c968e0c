/* Memory objects and shared virtual memory, for the other parts of the driver. */
#ifndef LOCKSTEP_HOST_OPENCL_MEMORY_H
#define LOCKSTEP_HOST_OPENCL_MEMORY_H

#include "host/opencl/objects.h"

#define ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define POINTER_FLAGS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

/* An object without memory yet; null when there is no room for it.  Its flags say how kernels may use it in any
 * case. */
cl_mem memory_new(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t bytes);
/* Its memory on the device, with what is at host_ptr unless that is null; the host's own when that is shared virtual
 * memory.  False: there is not so much. */
bool memory_place(cl_mem memory, void *host_ptr);
/* Its memory is the parent's, from `origin` on. */
void memory_place_within(cl_mem memory, cl_mem parent, size_t origin);
cl_int memory_check_flags(cl_mem_flags flags);
/* The flags of an object within another: its own, and of the kinds that it does not name its parent's.  False when they
 * clash. */
bool memory_inherit_flags(cl_mem_flags parent, cl_mem_flags *flags);

/* A memory object of this queue's context?  CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT. */
cl_int memory_check_any(cl_command_queue queue, cl_mem memory);
/* The same of a buffer; and, before, of a command's queue and list. */
cl_int memory_check(cl_command_queue queue, cl_mem memory);
cl_int memory_check_command(cl_command_queue queue, cl_mem memory, cl_uint count, const cl_event *list);
/* [offset, offset + bytes) within it?  Also refuses sub-buffers at an unsuitable place. */
cl_int memory_check_range(cl_mem memory, size_t offset, size_t bytes);
/* A buffer that is not destroyed?  `memory` may be any value. */
bool memory_is_live(cl_mem memory);
/* The same bytes on the device? */
bool memory_overlaps(cl_mem a, size_t a_offset, cl_mem b, size_t b_offset, size_t bytes);

/* The shared allocation that holds [pointer, pointer + bytes); false when none does. */
bool svm_holds(const void *pointer, size_t bytes);

#endif
