/* Memory objects and shared virtual memory, for those who use them. */
#ifndef LOCKSTEP_HOST_OPENCL_MEMORY_H
#define LOCKSTEP_HOST_OPENCL_MEMORY_H

#include "host/opencl/objects.h"

/* A buffer of this queue's context?  CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT. */
cl_int memory_check(cl_command_queue queue, cl_mem memory);
/* [offset, offset + bytes) within it?  Also refuses sub-buffers at an unsuitable place. */
cl_int memory_check_range(cl_mem memory, size_t offset, size_t bytes);
/* A buffer that is not destroyed?  `memory` may be any value. */
bool memory_is_live(cl_mem memory);
/* The same bytes on the device? */
bool memory_overlaps(cl_mem a, size_t a_offset, cl_mem b, size_t b_offset, size_t bytes);

/* The shared allocation that holds [pointer, pointer + bytes); false when none does. */
bool svm_holds(const void *pointer, size_t bytes);

#endif
