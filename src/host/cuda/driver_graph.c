/* The driver's interface: nodes of graphs that it describes in another way than the runtime.  Its other calls for
 * graphs are rows of driver_calls.def. */
#include "host/cuda/array.h"
#include "host/cuda/driver_parts.h"
#include "host/cuda/graph.h"

#include <stddef.h>
#include <string.h>

/* ---- Kernels ---- */

const struct cudaKernelNodeParams *kernel_node(const CUDA_KERNEL_NODE_PARAMS *p, struct cudaKernelNodeParams *there)
{
	if (!p)
		return NULL;
	*there = p->node;
	if (!there->func)
		there->func = p->kernel;
	return there;
}

cudaError_t kernel_node_parameters(cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	p->kernel = NULL;
	p->context = NULL;
	cudaError_t error = cudaGraphKernelNodeGetParams(node, &p->node);
	if (!error) /* the handle, in place of the program's address */
		p->node.func = function_find(p->node.func);
	return error;
}

/* ---- Copies ---- */

/* Positions in arrays count elements there, bytes here. */
static void place_of(cudaArray_t *array, struct cudaPos *pos, struct cudaPitchedPtr *memory, int type, CUarray given,
	uintptr_t base, const size_t at[3], size_t pitch, size_t height, const CUDA_MEMCPY3D *c)
{
	*pos = (struct cudaPos){at[0], at[1], at[2]};
	if (type != IN_ARRAY) {
		pitch = pitch ? pitch : c->WidthInBytes;
		*memory = (struct cudaPitchedPtr){(void *)base, pitch, pitch, height ? height : c->Height};
	} else if (array_known(given)) {
		*array = given;
		pos->x /= element_bytes(given);
	}
}

const struct cudaMemcpy3DParms *driver_box(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p)
{
	if (!c)
		return NULL;
	uintptr_t to = c->dstMemoryType == ON_HOST ? (uintptr_t)c->dstHost : (uintptr_t)c->dstDevice,
		  from = c->srcMemoryType == ON_HOST ? (uintptr_t)c->srcHost : (uintptr_t)c->srcDevice;
	*p = (struct cudaMemcpy3DParms){.extent = {c->WidthInBytes, c->Height, c->Depth},
		.kind = driver_copy_kind(c->dstMemoryType, c->srcMemoryType)};
	place_of(&p->dstArray, &p->dstPos, &p->dstPtr, c->dstMemoryType, c->dstArray, to,
		(size_t[]){c->dstXInBytes, c->dstY, c->dstZ}, c->dstPitch, c->dstHeight, c);
	place_of(&p->srcArray, &p->srcPos, &p->srcPtr, c->srcMemoryType, c->srcArray, from,
		(size_t[]){c->srcXInBytes, c->srcY, c->srcZ}, c->srcPitch, c->srcHeight, c);
	if (p->srcArray || p->dstArray)
		p->extent.width /= element_bytes(p->srcArray ? p->srcArray : p->dstArray);
	return p;
}

cudaError_t copy_node_parameters(cudaGraphNode_t node, CUDA_MEMCPY3D *c)
{
	struct cudaMemcpy3DParms p;
	cudaError_t error = c ? cudaGraphMemcpyNodeGetParams(node, &p) : cudaErrorInvalidValue;
	if (error)
		return error;
	const struct copy *copy = node->work;
	bool from_host = copy->from.type <= cudaMemoryTypeHost, to_host = copy->to.type <= cudaMemoryTypeHost;
	*c = (CUDA_MEMCPY3D){.srcMemoryType = from_host ? ON_HOST : ON_DEVICE,
		.dstMemoryType = to_host ? ON_HOST : ON_DEVICE,
		.srcHost = from_host ? p.srcPtr.ptr : NULL,
		.dstHost = to_host ? p.dstPtr.ptr : NULL,
		.srcDevice = from_host ? 0 : (CUdeviceptr)(uintptr_t)p.srcPtr.ptr,
		.dstDevice = to_host ? 0 : (CUdeviceptr)(uintptr_t)p.dstPtr.ptr,
		.srcPitch = p.srcPtr.pitch,
		.dstPitch = p.dstPtr.pitch,
		.srcHeight = p.srcPtr.ysize,
		.dstHeight = p.dstPtr.ysize,
		.WidthInBytes = p.extent.width,
		.Height = p.extent.height,
		.Depth = p.extent.depth};
	return cudaSuccess;
}

/* ---- Nodes of any kind ---- */

/* CUgraphNodeParams is the runtime's struct but for kernels and copies. */
static struct cudaGraphNodeParams of_any_kind(const struct cudaGraphNodeParams *given)
{
	struct cudaGraphNodeParams p = *given;
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUDA_MEMCPY3D copy;
	memcpy(&kernel, (const char *)given + offsetof(struct cudaGraphNodeParams, kernel), sizeof kernel);
	memcpy(&copy, (const char *)given + offsetof(struct cudaGraphNodeParams, memcpy.copyParams), sizeof copy);
	if (p.type == cudaGraphNodeTypeKernel)
		kernel_node(&kernel, &p.kernel);
	if (p.type == cudaGraphNodeTypeMemcpy)
		driver_box(&copy, &p.memcpy.copyParams);
	return p;
}

/* They lie where the others' parameters do. */
static const CUDA_BATCH_MEM_OP_NODE_PARAMS *words_of(const struct cudaGraphNodeParams *given)
{
	return (const CUDA_BATCH_MEM_OP_NODE_PARAMS *)(const void *)&given->kernel;
}

CUresult cuGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *given)
{
	if (!given)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaGraphNodeParams p = of_any_kind(given);
	error_mute(true);
	cudaError_t error = p.type == cudaGraphNodeTypeBatchMemOp
				    ? words_add_node(node, graph, after, edges, count, words_of(given))
				    : graph_add_node(node, graph, after, edges, count, &p);
	error_mute(false);
	if (p.type == cudaGraphNodeTypeMemAlloc)
		given->alloc.dptr = p.alloc.dptr;
	if (p.type == cudaGraphNodeTypeConditional)
		given->conditional.phGraph_out = p.conditional.phGraph_out;
	return driver_result(error);
}

CUresult cuGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
	struct cudaGraphNodeParams *given)
{
	return cuGraphAddNode_v2(node, graph, after, NULL, count, given);
}

CUresult cuGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *given)
{
	struct cudaGraphNodeParams p = given ? of_any_kind(given) : (struct cudaGraphNodeParams){0};
	if (p.type == cudaGraphNodeTypeBatchMemOp)
		return cuGraphBatchMemOpNodeSetParams(node, words_of(given));
	QUIETLY(cudaGraphNodeSetParams(node, given ? &p : NULL));
}

CUresult cuGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *given)
{
	struct cudaGraphNodeParams p = given ? of_any_kind(given) : (struct cudaGraphNodeParams){0};
	if (p.type == cudaGraphNodeTypeBatchMemOp)
		return cuGraphExecBatchMemOpNodeSetParams(exec, node, words_of(given));
	QUIETLY(cudaGraphExecNodeSetParams(exec, node, given ? &p : NULL));
}

/* The older form has the two parts of the answer apart. */
CUresult cuGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, int *result)
{
	cudaGraphExecUpdateResultInfo info = {0};
	if (!node || !result)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult why = cuGraphExecUpdate_v2(exec, graph, &info);
	*node = info.errorNode;
	*result = (int)info.result;
	return why;
}
