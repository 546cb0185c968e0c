/* Firmware for the control processor (paper 5: M. Orr and others, Fine-grain Task Aggregation and Coordination on GPUs, 2014, sections 3
 * and 7), in CUDA C++ and OpenCL C.  Under Lockstep #include <lockstep_control.h> finds it; no other GPU has these calls.
 * docs/control.md has examples.
 *
 * FIRMWARE is a kernel that runs as one thread on a processor beside the cores, and starts the work-groups of other kernels: those named by
 * --dispatches, or `dispatchables` of struct lockstep_launch; it names them by their place in that list, from 0.  A work-group has as many
 * threads as the launch's block says, one wavefront (warp) unless it says otherwise.  A kernel that is dispatched takes one parameter of 64
 * bits, or none.  The launch ends when firmware has returned; it must not return while work is left.
 *
 * ORDER.  Each call waits until all that firmware has executed before it has its result, but for stores, which only have been sent; what is
 * behind it begins when it is over.  A work-group that is dispatched sees what firmware stored before: the call waits until the stores are
 * acknowledged.  Firmware sees what a work-group stored before it ended (__lockstep_outstanding), if it reads memory by volatile
 * or atomic loads, or behind a fence.
 *
 * COST, in cycles of the processor.  A call is one instruction; those marked [port] take control.port cycles more, to reach the dispatcher's
 * registers.  What a call reads of the GPU is what was so when the current quantum began, less what firmware itself has done since: that is
 * min(crossbar.request_latency, crossbar.reply_latency) core cycles ago at most. */
#ifndef LOCKSTEP_CONTROL_H
#define LOCKSTEP_CONTROL_H

#ifdef __OPENCL_C_VERSION__
#define LOCKSTEP_CONTROL_FUNCTION __attribute__((noinline))
#define LOCKSTEP_CONTROL_WORD volatile __global unsigned
typedef ulong lockstep_u64;
#elif defined __CUDACC__ || defined __CUDA__
#define LOCKSTEP_CONTROL_FUNCTION extern "C" __device__ __attribute__((noinline))
#define LOCKSTEP_CONTROL_WORD volatile unsigned
typedef unsigned long long lockstep_u64;
#else
#define LOCKSTEP_CONTROL_HOST
#endif

#ifndef LOCKSTEP_CONTROL_HOST

/* For __lockstep_outstanding: of all kernels together. */
#define LOCKSTEP_ALL_KERNELS 0xffffffffu

/* [port] Starts `count` work-groups of a kernel, each with `argument`; get_group_id(0) (blockIdx.x) of them counts from 0, and
 * get_num_groups(0) (gridDim.x) is `count`.  They start in the order of the calls, dispatch.latency core cycles later or when there is room,
 * each where the dispatch policy says; the call does not wait for that.  0: nothing happens.  A kernel that is not in the list: a finding. */
LOCKSTEP_CONTROL_FUNCTION void __lockstep_dispatch(unsigned which, unsigned count, lockstep_u64 argument);

/* [port] How many work-groups of the kernel would find room now: beside those that run, and those that are still to start. */
LOCKSTEP_CONTROL_FUNCTION unsigned __lockstep_free_contexts(unsigned which);

/* [port] Work-groups of the kernel that were dispatched and have not ended. */
LOCKSTEP_CONTROL_FUNCTION unsigned __lockstep_outstanding(unsigned which);

/* ---- Yield: paper 5, section 6 ----
 *
 * Of a kernel that firmware dispatches, with work-groups of one wavefront: gives the wavefront's context away until firmware restarts it, on
 * the same core.  The call first waits, like a release, until all that the wavefront has sent is answered, then for a place in the channel
 * of restart contexts in memory (control.restarts).  Then its state is stored: 856 bytes, and the registers and predicates of all lanes, a line a
 * message, and its restart context; when these are acknowledged the context is free, and the restart context is there for firmware.  Shared memory stays taken.  A restarted wavefront sees what firmware stored before; it loads its state, then
 * goes on behind the call.  Lanes that do not call yield, too: the wavefront does as a whole.  `resource` is of the lowest lane that calls. */
LOCKSTEP_CONTROL_FUNCTION void __lockstep_yield(lockstep_u64 resource);

/* [port] Of firmware: the next restart context, in order, which is read from memory, or 0: none is there.  It is the address of the wavefront's state, whose first 64 bits
 * are the resource; what else lies there is not specified. */
LOCKSTEP_CONTROL_FUNCTION lockstep_u64 __lockstep_take_restart(void);

/* [port] Of firmware: restarts the wavefront, dispatch.latency core cycles later or when its core has room, before work-groups that wait to
 * start.  A context that was not taken, or is restarted already: a finding.  As with a dispatch, stores are acknowledged before. */
LOCKSTEP_CONTROL_FUNCTION void __lockstep_restart(lockstep_u64 context);

/* Waits until the 32-bit word differs from `old`, and returns it.  It asks the L2 for the word, then again control.poll cycles after each
 * answer: real loads, which do not look into the data cache.  Where nothing else in the GPU could change the word any more, that is a hang. */
LOCKSTEP_CONTROL_FUNCTION unsigned __lockstep_wait_change(const LOCKSTEP_CONTROL_WORD *word, unsigned old);

#else

/* ---- A host program with OpenCL, that has included <CL/cl.h> before ----
 *
 * The extension cl_lockstep_firmware, on GPUs that have a control processor (policy.control).  The function is found by
 * clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueFirmwareLOCKSTEP").
 *
 * Enqueues a launch of `firmware`, whose arguments are set, as the command CL_COMMAND_FIRMWARE_LOCKSTEP.  `kernels` are those that it may
 * dispatch, by their place in this list; they are of the queue's context, of any program, and their arguments need not be set.  `group` is the
 * work-items of each of their work-groups, 0: one wavefront.  The launch has the GPU for itself.
 *     CL_INVALID_VALUE              no kernel is listed
 *     CL_INVALID_KERNEL             one is none
 *     CL_INVALID_WORK_GROUP_SIZE    one cannot have so many work-items
 *     CL_INVALID_OPERATION          there is no control processor, and a line on stderr says so
 * and what clEnqueueTask returns.  What else is wrong with firmware or kernels is a line on stderr, and the queue then fails with
 * CL_OUT_OF_RESOURCES, as when firmware does something wrong. */
#ifdef CL_VERSION_1_0
#define CL_COMMAND_FIRMWARE_LOCKSTEP 0x4C53
typedef cl_int(CL_API_CALL *clEnqueueFirmwareLOCKSTEP_fn)(cl_command_queue queue, cl_kernel firmware, cl_uint kernel_count,
	const cl_kernel *kernels, size_t group, cl_uint event_count, const cl_event *events, cl_event *event);
#endif

#endif

/* ---- A host program with CUDA ----
 *
 * cuGetProcAddress("cuLaunchFirmwareLOCKSTEP", ...), or cudaGetDriverEntryPoint, finds it.  It launches `firmware` in a stream, with a pointer to each of its
 * arguments; `kernels` are those that it may dispatch, by their place in the list, in work-groups of `threads` threads, 0: one warp.  The
 * functions are CUfunctions, which a program of the runtime has from cudaGetFuncBySymbol.  What it returns is a CUresult:
 * CUDA_ERROR_NOT_SUPPORTED where there is no control processor, and what cuLaunchKernel returns. */
#if !defined __OPENCL_C_VERSION__
typedef int (*cuLaunchFirmwareLOCKSTEP_fn)(
	void *firmware, unsigned kernel_count, void *const *kernels, unsigned threads, void *stream, void **arguments);
#endif

#endif
