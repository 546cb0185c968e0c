/* Conditional nodes of graphs: handles of conditions, and the tasks that run bodies or do not.
 *
 * A handle is the address of two words of the GPU's memory: the value, and whether it was set since the launch began.
 * cudaGraphSetConditional stores both (module.c).  The task of a conditional node reads the value when its turn comes,
 * enqueues a body as a part of itself, and goes on when that is over: after the body of a WHILE it reads the value
 * again. */
#include "host/cuda/graph.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct condition {
	uint64_t address;
	struct origin *origin; /* the call that made it */
	uint32_t *words;
	uint32_t value; /* by default; this and the next may change between launches */
	bool assigns;   /* the default is given at the beginning of a launch */
	bool has_node, has_complained;
	uint32_t instances;
	atomic_uint holds;
	struct condition *next;
};

/* All that are held. */
static pthread_mutex_t lock = MUTEX_INITIALIZER;
static struct condition *conditions;

/* ---- Handles ---- */

struct condition *condition_hold(struct condition *condition)
{
	condition->holds++;
	return condition;
}

void condition_drop(struct condition *condition)
{
	if (!condition)
		return;
	mutex_lock(&lock);
	bool is_last = !--condition->holds;
	struct condition **at = &conditions;
	while (is_last && *at != condition)
		at = &(*at)->next;
	if (is_last)
		*at = condition->next;
	mutex_unlock(&lock);
	if (!is_last)
		return;
	device_free(condition->address, NULL);
	free(condition);
}

/* Takes over a hold, also when there is no memory. */
static bool add(struct cuda_graph *graph, struct condition *condition)
{
	struct condition **more = realloc(graph->conditions, (graph->condition_count + 1) * sizeof(*more));
	if (!more) {
		condition_drop(condition);
		return false;
	}
	graph->conditions = more;
	more[graph->condition_count++] = condition;
	return true;
}

bool conditions_copy(struct cuda_graph *to, const struct cuda_graph *from)
{
	for (size_t k = 0; k < from->condition_count; k++)
		if (!add(to, condition_hold(from->conditions[k])))
			return false;
	return true;
}

void conditions_drop(struct cuda_graph *graph)
{
	for (size_t k = 0; k < graph->condition_count; k++)
		condition_drop(graph->conditions[k]);
	free(graph->conditions);
	graph->conditions = NULL;
	graph->condition_count = 0;
}

cudaError_t cudaGraphConditionalHandleCreate(
	cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value, unsigned int flags)
{
	cudaError_t error = error_unless(handle && graph && !(flags & ~cudaGraphCondAssignDefault));
	if (error)
		return error_note(error);
	struct condition *made = calloc(1, sizeof *made);
	uint8_t *contents;
	if (!made || !(made->address = device_allocate(2 * sizeof *made->words, "cudaGraphConditionalHandleCreate",
			       "condition of a graph", &contents))) {
		free(made);
		return error_note(cudaErrorMemoryAllocation);
	}
	made->origin = origin_here("cudaGraphConditionalHandleCreate", NULL);
	made->words = (uint32_t *)(void *)contents;
	made->words[0] = made->words[1] = 0;
	device_wrote(made->words, 2 * sizeof *made->words);
	made->value = value;
	made->assigns = flags & cudaGraphCondAssignDefault;
	made->holds = 1;
	mutex_lock(&lock);
	made->next = conditions;
	conditions = made;
	mutex_unlock(&lock);
	*handle = made->address;
	return error_note(add(graph, made) ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* The condition of a handle, held, for its only node; null: there is none, or it has its node. */
static struct condition *take(cudaGraphConditionalHandle handle)
{
	mutex_lock(&lock);
	struct condition *c = conditions;
	while (c && (c->address != handle || c->has_node))
		c = c->next;
	if (c) {
		c->has_node = true;
		condition_hold(c);
	}
	mutex_unlock(&lock);
	return c;
}

/* ---- Nodes ---- */

static bool is_size_good(const struct cudaConditionalNodeParams *p)
{
	switch (p->type) {
	case cudaGraphCondTypeIf: return p->size == 1 || p->size == 2;
	case cudaGraphCondTypeWhile: return p->size == 1;
	case cudaGraphCondTypeSwitch: return p->size > 0;
	default: return false;
	}
}

static bool add_bodies(struct cuda_node *node, uint32_t count)
{
	struct cuda_graph **bodies = calloc(count, sizeof(*bodies));
	uint32_t made = 0;
	while (bodies && made < count && (bodies[made] = graph_new()))
		made++;
	bool good = made == count && node_set_inner(node, bodies, count);
	while (made < count && made)
		graph_free(bodies[--made]);
	free(bodies);
	return good;
}

cudaError_t condition_add_node(struct cuda_node **node, struct cuda_graph *graph, const struct node_set *before,
	struct cudaConditionalNodeParams *p)
{
	struct condition *condition = is_size_good(p) ? take(p->handle) : NULL;
	if (!condition)
		return cudaErrorInvalidValue;
	struct cuda_node *made = graph_add(graph, cudaGraphNodeTypeConditional, before);
	if (!made) {
		condition->has_node = false;
		condition_drop(condition);
		return cudaErrorMemoryAllocation;
	}
	made->condition = condition;
	made->how = p->type;
	*node = made;
	if (!add_bodies(made, p->size))
		return cudaErrorMemoryAllocation;
	p->phGraph_out = made->inner;
	return cudaSuccess;
}

/* ---- Instances ---- */

/* Calls the function for each condition of the graph and its bodies, until it returns false. */
static bool visit(const struct cuda_graph *graph, bool (*function)(struct condition *condition, void *data), void *data)
{
	for (size_t k = 0; k < graph->condition_count; k++)
		if (!function(graph->conditions[k], data))
			return false;
	for (size_t k = 0; k < graph->nodes.count; k++)
		for (uint32_t i = 0; i < graph->nodes.at[k]->inner_count; i++)
			if (!visit(graph->nodes.at[k]->inner[i], function, data))
				return false;
	return true;
}

static bool has_node(struct condition *condition, void *nothing)
{
	(void)nothing;
	return condition->has_node;
}

static bool has_no_instance(struct condition *condition, void *nothing)
{
	(void)nothing;
	return !condition->instances;
}

static bool count_instance(struct condition *condition, void *change)
{
	condition->instances += (uint32_t) * (int *)change;
	return true;
}

/* A body has no node that only the host can carry out, nor memory of its own. */
static bool may_be_in_body(const struct cuda_node *node)
{
	switch (node->type) {
	case cudaGraphNodeTypeKernel:
	case cudaGraphNodeTypeMemcpy:
	case cudaGraphNodeTypeMemset:
	case cudaGraphNodeTypeGraph:
	case cudaGraphNodeTypeEmpty:
	case cudaGraphNodeTypeConditional: return true;
	default: return false;
	}
}

static bool check_bodies(const struct cuda_graph *graph, bool is_body)
{
	for (size_t k = 0; k < graph->nodes.count; k++) {
		const struct cuda_node *node = graph->nodes.at[k];
		if (is_body && !may_be_in_body(node)) {
			device_complain(
				"cudaGraphInstantiate: the body of a conditional node has a node that is not allowed "
				"there: expected kernels, copies, fills, empty nodes, child graphs and "
				"conditional nodes");
			return false;
		}
		for (uint32_t i = 0; i < node->inner_count; i++)
			if (!check_bodies(node->inner[i], is_body || node->condition))
				return false;
	}
	return true;
}

cudaError_t conditions_claim(const struct cuda_graph *graph, enum cudaGraphInstantiateResult *result)
{
	int one = 1;
	if (!visit(graph, has_node, NULL)) {
		*result = cudaGraphInstantiateConditionalHandleUnused;
		return cudaErrorInvalidValue;
	}
	if (!check_bodies(graph, false))
		return cudaErrorNotSupported;
	mutex_lock(&lock);
	bool good = visit(graph, has_no_instance, NULL) && visit(graph, count_instance, &one);
	mutex_unlock(&lock);
	return good ? cudaSuccess : cudaErrorNotSupported;
}

void conditions_count(const struct cuda_graph *graph, int change)
{
	mutex_lock(&lock);
	visit(graph, count_instance, &change);
	mutex_unlock(&lock);
}

bool conditions_replace(struct cuda_graph *graph, const struct cuda_graph *by)
{
	conditions_drop(graph);
	return conditions_copy(graph, by);
}

/* ---- The beginning of a launch ---- */

struct beginning {
	struct start {
		struct condition *condition;
		uint32_t value;
		bool assigns;
	} * at;
	size_t count;
};

static int32_t run_beginning(struct command *command, uint64_t *nanoseconds)
{
	const struct beginning *b = (const struct beginning *)task_of(command)->work;
	(void)nanoseconds;
	for (size_t k = 0; k < b->count; k++) {
		uint32_t *words = b->at[k].condition->words;
		if (b->at[k].assigns) {
			words[0] = b->at[k].value;
			host_race_bytes(command, "cudaGraphLaunch", words, sizeof *words, true);
		}
		words[1] = b->at[k].assigns;
		device_wrote(words, 2 * sizeof *words);
	}
	return COMMAND_COMPLETE;
}

static void discard_beginning(void *work)
{
	struct beginning *b = work;
	for (size_t k = 0; k < b->count; k++)
		condition_drop(b->at[k].condition);
	free(b->at);
}

static const struct work_kind beginning_kind = {
	.bytes = sizeof(struct beginning), .engine = ENGINE_NONE, .run = run_beginning, .discard = discard_beginning};

/* False: no memory. */
static bool add_start(struct condition *condition, void *data)
{
	struct beginning *b = data;
	struct start *more = realloc(b->at, (b->count + 1) * sizeof *more);
	if (!more)
		return false;
	b->at = more;
	more[b->count++] = (struct start){condition_hold(condition), condition->value, condition->assigns};
	return true;
}

struct task *conditions_begin(struct cuda_stream *stream, const struct cuda_graph *graph)
{
	struct beginning b = {0};
	struct task *task = NULL;
	if (!graph_has_conditions(graph))
		return task_new(stream, NULL, NULL);
	if (visit(graph, add_start, &b))
		task = task_new(stream, &beginning_kind, &b);
	if (!task)
		discard_beginning(&b);
	return task;
}

/* ---- The task of a node ---- */

struct choice {
	struct condition *condition;
	enum cudaGraphConditionalNodeType how;
	struct cuda_graph **bodies; /* copies, as an instance may change while its launch waits */
	uint32_t count;
	struct task *part; /* held; the end of the body that was enqueued last */
	/* Of a WHILE: */
	uint64_t rounds, begun; /* begun: in which cycle */
	uint64_t marked, mark;  /* after so many rounds memory was this (a hash) */
	bool is_same;           /* it is that again */
};

/* Null: none. */
static const struct cuda_graph *choose(const struct choice *c, uint32_t value)
{
	uint32_t which = c->how == cudaGraphCondTypeSwitch ? value : !value;
	return which < c->count && !(c->how != cudaGraphCondTypeWhile && c->part) ? c->bodies[which] : NULL;
}

static void complain_of_undefined(struct condition *condition)
{
	if (!condition->has_complained)
		device_complain(
			"a conditional node of a graph reads a condition that is undefined: nothing has set it in "
			"this launch (cudaGraphSetConditional), and its handle was made without "
			"cudaGraphCondAssignDefault");
	condition->has_complained = true;
}

/* ---- A WHILE that never ends ----
 *
 * Kernels that find all memory as it was do the same again, unless they read a clock.  Memory is looked at rarely:
 * after 1,024 rounds and each power of two from there on, and again after each of the next rounds. */

enum { FIRST_MARK = 1024, ROUNDS_COMPARED = 4 };

/* driver_lock is not held. */
static void look_at_memory(struct choice *c)
{
	bool marks = c->rounds >= FIRST_MARK && !(c->rounds & (c->rounds - 1));
	device_lock();
	if (!c->rounds)
		c->begun = lockstep_cycle(device_get()->gpu);
	c->is_same = c->marked && c->rounds - c->marked <= ROUNDS_COMPARED &&
		     lockstep_memory_hash(device_get()->gpu) == c->mark;
	if (marks) {
		c->mark = lockstep_memory_hash(device_get()->gpu);
		c->marked = c->rounds;
	}
	device_unlock();
}

static void report_endless(const struct choice *c)
{
	struct arena arena = {0};
	const char *name = origin_name(c->condition->origin);
	unsigned long long rounds = c->rounds, ago = c->rounds - c->marked;
	const char *what = arena_printf(&arena,
		"the body of a WHILE node of a graph has run %llu times, and its condition (%s) is still true. All "
		"memory is "
		"as it was %llu round%s before, and nothing else can write it: unless a kernel reads a clock, this "
		"never ends",
		rounds, name ? name : "cudaGraphConditionalHandleCreate", ago, ago == 1 ? "" : "s");
	static const char fix[] = "Let a kernel of the body set the condition to 0 (cudaGraphSetConditional)";
	const struct lockstep_finding finding = {.kind = "hang",
		.certainty = "suspected",
		.cause = "endless-loop",
		.message = arena_printf(&arena, "%s. %s", what, fix),
		.what = what,
		.fix = fix,
		.count = 1};
	device_report_finding(&finding, UINT32_MAX, NULL, 0, true);
	arena_free(&arena);
}

/* Whether the loop is given up; driver_lock is held. */
static bool is_endless(const struct choice *c, const struct command *command)
{
	uint64_t most = device_options()->setup.max_cycles;
	bool takes_long = most && lockstep_cycle(device_get()->gpu) - c->begun > most;
	bool never_ends = c->is_same && commands_wait_for(command);
	if (never_ends)
		report_endless(c);
	else if (takes_long)
		device_complain(
			"the body of a WHILE node of a graph has run %llu times, together for more than the %llu "
			"cycles of --max-cycles: it is stopped",
			(unsigned long long)c->rounds, (unsigned long long)most);
	if (never_ends || takes_long)
		sticky_error = cudaErrorLaunchTimeout;
	return never_ends || takes_long;
}

/* driver_lock is held. */
static int32_t go_on(struct choice *c, struct task *task)
{
	const struct cuda_graph *body = choose(c, c->condition->words[0]);
	task_drop(c->part);
	c->part = NULL;
	if (!body)
		return COMMAND_COMPLETE;
	if (c->how == cudaGraphCondTypeWhile && is_endless(c, &task->command))
		return -(int32_t)cudaErrorLaunchTimeout;
	c->rounds++;
	c->part = graph_launch_part(body, task);
	if (!c->part)
		return -(int32_t)cudaErrorMemoryAllocation;
	commands_continue_after(&task->command, &c->part->command);
	return COMMAND_RUNNING;
}

static int32_t run_choice(struct command *command, uint64_t *nanoseconds)
{
	struct choice *c = (struct choice *)task_of(command)->work;
	(void)nanoseconds;
	if (!c->condition->words[1])
		complain_of_undefined(c->condition);
	if (!c->part)
		host_race_bytes(command, "a conditional node", c->condition->words, sizeof *c->condition->words, false);
	look_at_memory(c);
	mutex_lock(&driver_lock);
	int32_t status = go_on(c, task_of(command));
	mutex_unlock(&driver_lock);
	return status;
}

static void discard_choice(void *work)
{
	struct choice *c = work;
	for (uint32_t k = 0; k < c->count; k++)
		graph_free(c->bodies[k]);
	free(c->bodies);
	condition_drop(c->condition);
	task_drop(c->part);
}

static const struct work_kind choice_kind = {
	.bytes = sizeof(struct choice), .engine = ENGINE_NONE, .run = run_choice, .discard = discard_choice};

struct task *condition_task(struct cuda_stream *stream, const struct cuda_node *node)
{
	struct choice c = {.condition = condition_hold(node->condition), .how = node->how};
	struct task *task = NULL;
	bool good = (c.bodies = calloc(node->inner_count, sizeof(*c.bodies)));
	for (uint32_t k = 0; good && k < node->inner_count; k++)
		good = (c.bodies[c.count++] = graph_copy(node->inner[k])) && !graph_order_nodes(c.bodies[k]);
	if (good)
		task = task_new(stream, &choice_kind, &c);
	if (!task)
		discard_choice(&c);
	return task;
}
