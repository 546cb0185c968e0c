/* Nodes: addresses and reach. */
#include "machine/nodes/nodes.h"
#include "machine/state/machine.h"
#include "util/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define CORES 3
#define CHANNELS 2
#define SLICES 4

static const struct gpu_model model = {.core_count = CORES, .channels = CHANNELS, .slices = SLICES, .control = "none"};

static void cores_come_first_then_slices(void **state)
{
	(void)state;
	assert_int_equal(node_first_address(&model, NODE_core), 0);
	assert_int_equal(node_first_address(&model, NODE_partition), CORES);
	assert_int_equal(node_first_address(&model, NODE_control), CORES + SLICES);
}

static void post(struct outbox *outbox, uint32_t destination)
{
	struct message *m = outbox_write(outbox, 0);
	*m = (struct message){.time = 1};
	outbox_post(outbox, destination, m);
}

/* Cores ask partitions, which answer cores, and neither asks its own kind. */
static void kinds_reach_what_they_talk_to(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct outbox *of_core = node_outbox(&arena, &model, NODE_core),
		      *of_partition = node_outbox(&arena, &model, NODE_partition);
	struct inbox *inbox[CORES + SLICES];
	for (uint32_t k = 0; k < CORES + SLICES; k++)
		inbox[k] = inbox_create(&arena);
	for (uint32_t k = 0; k < SLICES; k++)
		post(of_core, CORES + k);
	for (uint32_t k = 0; k < CORES; k++)
		post(of_partition, k);
	inbox_collect(inbox, CORES + SLICES, of_core, 0, 0);
	for (uint32_t k = 0; k < CORES + SLICES; k++)
		assert_int_equal(inbox_count(inbox[k]), k >= CORES);
	inbox_collect(inbox, CORES + SLICES, of_partition, 0, 0);
	for (uint32_t k = 0; k < CORES + SLICES; k++)
		assert_int_equal(inbox_count(inbox[k]), 1);
	arena_free(&arena);
}

/* A node that is opened has as many inboxes as it says, and reaches what its kind reaches. */
static void an_opened_node_receives_and_sends(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct machine machine = {.model = &model};
	struct node node = {.which = NODE_core, .machine = &machine, .inbox_count = 2, .arena = &arena};
	struct inbox *partition[SLICES];
	node_open(&node);
	for (uint32_t k = 0; k < SLICES; k++)
		partition[k] = inbox_create(&arena);
	post(node.outbox, CORES + SLICES - 1);
	inbox_collect(partition, SLICES, node.outbox, 0, CORES);
	assert_int_equal(inbox_count(partition[SLICES - 1]), 1);
	struct outbox *reply = node_outbox(&arena, &model, NODE_partition);
	post(reply, 0);
	post(reply, 1);
	inbox_collect(node.inboxes, node.inbox_count, reply, 0, 0);
	assert_int_equal(inbox_count(node.inboxes[0]), 1);
	assert_int_equal(inbox_count(node.inboxes[1]), 1);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_come_first_then_slices),
		cmocka_unit_test(kinds_reach_what_they_talk_to),
		cmocka_unit_test(an_opened_node_receives_and_sends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
