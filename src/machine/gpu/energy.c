/* The energy of a launch: events counted x energy of each, and power that flows all the time x time.  The events are
 * counted anyhow, so the cycle loop does nothing for it.  See docs/energy.md. */
#include "machine/gpu/machine.h"

#include <assert.h>
#include <stddef.h>

/* Femtojoules by component: exact, however long the launch. */
typedef unsigned __int128 femtojoules;
struct sums {
#define COUNTER(field, name, unit, meaning) femtojoules field;
#include "machine/state/energy.def"
#undef COUNTER
};

/* Where a lane's work in the instruction counts, and what it costs. */
static femtojoules *lane_work(
	struct sums *sums, const struct gpu_model *m, const struct insn *i, uint8_t counter, uint32_t *each)
{
	assert(counter < sizeof(struct counters) / sizeof(uint64_t));
	switch (counter) {
	case COUNTER_INDEX(class_alu):
		*each = i->latency == LATENCY_INT_MUL || i->latency == LATENCY_INT_MAD ? m->energy_int_mul
										       : m->energy_int_add;
		return &sums->integer;
	case COUNTER_INDEX(class_fp):
		*each = i->latency == LATENCY_FP_MUL || i->latency == LATENCY_FP_MAD ? m->energy_fp_mul
										     : m->energy_fp_add;
		return &sums->single;
	case COUNTER_INDEX(class_dp): *each = m->energy_dp; return &sums->twice;
	case COUNTER_INDEX(class_sfu): *each = m->energy_special; return &sums->special;
	case COUNTER_INDEX(class_matrix): *each = m->energy_matrix / 2 * i->component; return &sums->matrix;
	default: *each = m->energy_other; return &sums->other;
	}
}

static void add_instruction(
	struct sums *sums, const struct gpu_model *m, const struct insn *i, uint8_t counter, struct issue_count issued)
{
	uint64_t registers =
		(uint64_t)i->reads * m->energy_register_read + (uint64_t)i->writes * m->energy_register_write;
	uint32_t each;
	femtojoules *work = lane_work(sums, m, i, counter, &each);

	assert(issued.lanes <= issued.warps * m->warp_size);
	if (i->flags & INSN_VANISHES)
		return;
	*work += (femtojoules)issued.lanes * each;
	sums->issue += (femtojoules)issued.warps * m->energy_issue;
	sums->registers += (femtojoules)issued.lanes * registers;
	if (i->kind == INSN_LOAD && (i->access.space == space_PARAM || i->access.space == space_CONST))
		sums->constant += (femtojoules)issued.warps * m->energy_constant;
}

static void add_instructions(struct sums *sums, const struct launch *launch)
{
	assert(launch->rows);
	assert(!launch->runs);
	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++)
		add_instruction(sums, launch->machine->model, &launch->kernel->code[pc], launch->rows[pc].counter,
			launch_issued(launch, pc));
}

static void add_core_memory(struct sums *sums, const struct gpu_model *m, const struct counters *c)
{
	assert(c->l1_hits <= c->l1_loads);
	assert(c->l1_atomic_hits <= c->l1_atomic_lines);
	sums->shared += (femtojoules)(c->shared_accesses + c->shared_conflict_cycles) * m->energy_shared;
	sums->l1 += (femtojoules)(c->l1_loads + c->local_accesses) * m->energy_l1_read;
	if (m->l1_global)
		sums->l1 += (femtojoules)c->global_store_transactions * m->energy_l1_write;
	sums->l1 += (femtojoules)c->l1_atomic_lines * (m->energy_l1_read + m->energy_l1_write);
}

/* An atomic operation reads and writes a sector; what goes to DRAM is read from the L2 first. */
static void add_partitions(struct sums *sums, const struct gpu_model *m, const struct gpu_result *result)
{
	const struct counters *c = &result->counters;
	const struct partition_counters *p = &result->partition_counters;
	uint64_t flits = c->crossbar_flits + result->control_counters.flits + p->reply_flits;
	uint64_t loaded = (p->l2_loads + p->atomics) * m->l2_sector,
		 stored = (p->l2_stores + p->atomics) * m->l2_sector;
	uint64_t dram_read = p->dram_reads * m->dram_burst_bytes, dram_written = p->dram_writes * m->dram_burst_bytes;

	assert(p->dram_row_misses <= p->dram_reads + p->dram_writes);
	sums->l2 += (femtojoules)(loaded + dram_written) * m->energy_l2_read + (femtojoules)stored * m->energy_l2_write;
	sums->crossbar += (femtojoules)flits * m->crossbar_flit * m->energy_crossbar;
	sums->dram += (femtojoules)dram_read * m->energy_dram_read + (femtojoules)dram_written * m->energy_dram_write +
		      (femtojoules)p->dram_row_misses * m->energy_dram_activate;
}

/* Milliwatts for so many cycles of kHz. */
static femtojoules over_time(const struct gpu_model *m, uint64_t milliwatts, uint64_t cycles)
{
	assert(m->clock_core);
	return (femtojoules)milliwatts * cycles * 1000000000 / m->clock_core;
}

static uint64_t nanojoules(femtojoules sum, uint32_t thousandths)
{
	return (uint64_t)((sum * thousandths + 500000000) / 1000000000);
}

struct energy energy_of(const struct launch *launch, const struct gpu_result *result)
{
	const struct gpu_model *m = launch->machine->model;
	struct sums sums = {0};
	struct energy energy;

	add_instructions(&sums, launch);
	for (uint32_t k = 0; k < launch->part_count; k++)
		add_instructions(&sums, launch->parts[k]);
	add_core_memory(&sums, m, &result->counters);
	add_partitions(&sums, m, result);
	sums.core_static = over_time(m, (uint64_t)m->energy_core_static * m->core_count, result->cycles);
	sums.chip_static = over_time(m, m->energy_chip_static, result->cycles);
#define COUNTER(field, name, unit, meaning)                                                                            \
	energy.field = nanojoules(                                                                                     \
		sums.field, offsetof(struct sums, field) < offsetof(struct sums, dram) ? m->energy_scale : 1000);
#include "machine/state/energy.def"
#undef COUNTER
	energy.total = 0;
	for (size_t k = 0; k < offsetof(struct energy, total) / sizeof energy.total; k++)
		energy.total += ((const uint64_t *)&energy)[k];
	return energy;
}
