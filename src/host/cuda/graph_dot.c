/* A graph as a file for Graphviz. */
#include "host/cuda/graph.h"

#include <stdio.h>

static const char *const type_names[] = {
	[cudaGraphNodeTypeKernel] = "KERNEL",
	[cudaGraphNodeTypeMemcpy] = "MEMCPY",
	[cudaGraphNodeTypeMemset] = "MEMSET",
	[cudaGraphNodeTypeHost] = "HOST",
	[cudaGraphNodeTypeGraph] = "GRAPH",
	[cudaGraphNodeTypeEmpty] = "EMPTY",
	[cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
	[cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
	[cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
	[cudaGraphNodeTypeMemFree] = "MEM_FREE",
	[cudaGraphNodeTypeBatchMemOp] = "MEM_OPS",
	[cudaGraphNodeTypeConditional] = "CONDITIONAL",
};

static void print_details(FILE *file, const struct cuda_node *node)
{
	if (node->kind == &launch_kind) {
		const struct lockstep_launch *l = &((const struct launch *)node->work)->what;
		fprintf(file, "\\n%s\\n%u,%u,%u x %u,%u,%u, %u bytes shared", l->kernel, l->grid[0], l->grid[1],
			l->grid[2], l->block[0], l->block[1], l->block[2], l->shared_bytes);
	} else if (node->kind == &copy_kind) {
		const struct copy *c = node->work;
		fprintf(file, "\\n%zu x %zu x %zu bytes", c->width, c->height, c->depth);
	} else if (node->kind == &fill_kind) {
		const struct fill *f = node->work;
		fprintf(file, "\\n%zu x %zu bytes, value %u", f->width, f->height, f->value);
	} else if (node->condition) {
		static const char *const names[] = {"IF", "WHILE", "SWITCH"};
		fprintf(file, "\\n%s", names[node->how]);
		for (uint32_t k = 0; k < node->inner_count; k++)
			fprintf(file, " graph_%llu", (unsigned long long)node->inner[k]->id);
	} else if (node->memory) {
		size_t bytes;
		unsigned long long address = graph_memory_address(node->memory, &bytes);
		fprintf(file, "\\n%zu bytes at 0x%llx", bytes, address);
	}
}

static void print_graph(FILE *file, struct cuda_graph *graph)
{
	fprintf(file, "subgraph cluster_%llu {\nlabel=\"graph_%llu\"\n", (unsigned long long)graph->id,
		(unsigned long long)graph->id);
	for (size_t k = 0; k < graph->nodes.count; k++) {
		struct cuda_node *node = graph->nodes.at[k];
		node->number = (uint32_t)k;
		fprintf(file, "\"graph_%llu_node_%zu\" [shape=box label=\"%zu\\n%s", (unsigned long long)graph->id, k,
			k, type_names[node->type]);
		print_details(file, node);
		fprintf(file, "\"]\n");
		for (uint32_t i = 0; i < node->inner_count; i++)
			print_graph(file, node->inner[i]);
	}
	for (size_t k = 0; k < graph->nodes.count; k++)
		for (size_t e = 0; e < graph->nodes.at[k]->before.count; e++)
			fprintf(file, "\"graph_%llu_node_%u\" -> \"graph_%llu_node_%zu\"\n",
				(unsigned long long)graph->id, graph->nodes.at[k]->before.at[e]->number,
				(unsigned long long)graph->id, k);
	fprintf(file, "}\n");
}

/* Flags choose details; here all are always there. */
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
	(void)flags;
	if (!graph || !path)
		return error_note(cudaErrorInvalidValue);
	FILE *file = fopen(path, "w");
	if (!file)
		return error_note(cudaErrorOperatingSystem);
	fprintf(file, "digraph dot {\n");
	print_graph(file, graph);
	fprintf(file, "}\n");
	bool good = !ferror(file);
	good = !fclose(file) && good;
	return error_note(good ? cudaSuccess : cudaErrorOperatingSystem);
}
