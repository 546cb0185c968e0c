/* What the files of the driver's interface share. */
#ifndef LOCKSTEP_HOST_CUDA_DRIVER_PARTS_H
#define LOCKSTEP_HOST_CUDA_DRIVER_PARTS_H

#include "host/cuda/driver.h"
#include "host/cuda/objects.h"

/* CUDA_SUCCESS when cuInit was called and the thread has a context: what most calls ask first. */
CUresult driver_ready(void);
/* The same, then CUDA_ERROR_INVALID_HANDLE for a null handle, and CUDA_ERROR_INVALID_VALUE unless the other arguments
 * are good. */
CUresult driver_check(const void *handle, bool good);
/* The same for calls about a device, which need no context; `answer` is where the answer goes. */
CUresult driver_check_device(const void *answer, CUdevice device);
/* The driver's number for an error of the runtime's. */
CUresult driver_result(cudaError_t error);

/* For rows of driver_calls.def: a stream waits for a word of 4 or 8 bytes, or writes it. */
cudaError_t word_wait(CUstream stream, CUdeviceptr address, uint64_t value, uint32_t bytes, unsigned int flags);
cudaError_t word_write(CUstream stream, CUdeviceptr address, uint64_t value, uint32_t bytes, unsigned int flags);

/* For rows about nodes of graphs: the runtime's description, which is put there and returned; null of null. */
const struct cudaKernelNodeParams *kernel_node(const CUDA_KERNEL_NODE_PARAMS *p, struct cudaKernelNodeParams *there);
const struct cudaMemcpy3DParms *driver_box(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *there);
cudaError_t kernel_node_parameters(cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *p);
cudaError_t copy_node_parameters(cudaGraphNode_t node, CUDA_MEMCPY3D *c);
/* CUmemorytype; and how a copy goes between them. */
enum { ON_HOST = 1, ON_DEVICE, IN_ARRAY, UNIFIED };
enum cudaMemcpyKind driver_copy_kind(int to, int from);

/* Nodes of graphs that wait for words, and write them. */
cudaError_t words_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p);
cudaError_t words_get(cudaGraphNode_t node, CUDA_BATCH_MEM_OP_NODE_PARAMS *p);
cudaError_t words_set(cudaGraphNode_t node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p);
cudaError_t words_set_instance(cudaGraphExec_t exec, cudaGraphNode_t node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p);

/* A call of the runtime's in the driver's name, which leaves the runtime's last error as it was; it takes and returns
 * what the enclosing function does.  QUIETLY: for what needs no context. */
#define QUIETLY(call)                                                                                                  \
	do {                                                                                                           \
		error_mute(true);                                                                                      \
		cudaError_t error_ = (call);                                                                           \
		error_mute(false);                                                                                     \
		return driver_result(error_);                                                                          \
	} while (0)

#define THROUGH_RUNTIME(call)                                                                                          \
	do {                                                                                                           \
		CUresult ready_ = driver_ready();                                                                      \
		if (ready_)                                                                                            \
			return ready_;                                                                                 \
		QUIETLY(call);                                                                                         \
	} while (0)

#endif
