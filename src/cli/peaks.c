/* `lockstep gpus NAME --peaks`: what the fields of a GPU model permit at most, and its latencies without contention.
 *
 * Nothing is run.  Each figure is a product or a sum of fields, which its row names; tests/gpu_peaks.py runs kernels
 * that come near to them. */
#include "cli/cli.h"
#include "cli/gpus.h"

#include "lockstep.h"
#include "report/style.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a unit can do: the field for how many there are, `other` where a model has none of them; the field for the
 * cycles between two warp instructions; what a lane does in one of them; which of it a second is counted in. */
static const struct work {
	const char *name, *unit, *other, *interval;
	uint32_t operations;
	const char *counted;
	uint64_t capability; /* the least core.capability that has it */
	const char *moves;   /* the switch that moves it to unit.dp */
	const char *doubles; /* the switch with which it takes two intervals */
} works[] = {
	{"fp32 multiply-add", "unit.alu", "unit.alu", "interval.fp_mad", 2, "FLOP/s", 0, NULL, NULL},
	{"fp32 add", "unit.alu", "unit.alu", "interval.fp_add", 1, "FLOP/s", 0, NULL, NULL},
	{"fp64 multiply-add", "unit.dp", "unit.sfu", "interval.dp_mad", 2, "FLOP/s", 0, NULL, NULL},
	{"fp16 multiply-add", "unit.alu", "unit.alu", "interval.half", 4, "FLOP/s", 70, "unit.half", NULL},
	{"matrix, 16 bits", "unit.sfu", "unit.sfu", "interval.matrix", 128, "FLOP/s", 70, "unit.matrix", NULL},
	{"matrix, f32 sums", "unit.sfu", "unit.sfu", "interval.matrix", 128, "FLOP/s", 70, "unit.matrix",
		"interval.matrix_sums"},
	{"integer add", "unit.int", "unit.alu", "interval.int_add", 1, "op/s", 0, NULL, NULL},
	{"integer multiply-add", "unit.int", "unit.alu", "interval.int_mad", 2, "op/s", 0, NULL, NULL},
	{"special function", "unit.sfu", "unit.sfu", "interval.sfu", 1, "op/s", 0, NULL, NULL},
	{"shuffle", "unit.sfu", "unit.sfu", "interval.shuffle", 1, "op/s", 0, NULL, NULL},
};

static uint64_t number(const struct lockstep *gpu, const char *path)
{
	struct lockstep_field field = lockstep_field(gpu, path);

	assert(field.path);
	return field.number;
}

static double hertz(const struct lockstep *gpu, const char *clock)
{
	return (double)number(gpu, clock) * 1e3;
}

/* "9.062 T" of 9.062e12. */
static const char *scaled(double value, char *into, size_t size)
{
	static const struct {
		double from;
		const char *prefix;
	} scales[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {0, ""}};
	size_t k = 0;

	while (value < scales[k].from)
		k++;
	snprintf(into, size, "%.4g %s", scales[k].from > 0 ? value / scales[k].from : value, scales[k].prefix);
	return into;
}

/* Warp instructions of that work which a core starts in a cycle. */
static double core_rate(const struct lockstep *gpu, const struct work *work, const char **unit)
{
	uint64_t schedulers = number(gpu, "core.schedulers"), interval = number(gpu, work->interval);
	uint64_t passes = number(gpu, "core.warp_size") / number(gpu, "core.simd_width");

	if (!interval) /* half precision as single precision */
		interval = number(gpu, "interval.fp_mad");
	if (work->doubles && number(gpu, work->doubles))
		interval *= 2;
	*unit = number(gpu, work->unit) ? work->unit : work->other;
	if (work->moves && number(gpu, work->moves))
		*unit = "unit.dp";
	uint64_t units = number(gpu, *unit) * (number(gpu, "core.subcores") ? schedulers : 1);

	return fmin((double)(schedulers * number(gpu, "core.issue")),
		(double)units / (double)(interval > passes ? interval : passes));
}

static void print_work(const struct lockstep *gpu, const struct work *work)
{
	const char *unit;
	char amount[32];
	double lanes = core_rate(gpu, work, &unit) * (double)number(gpu, "core.warp_size");
	double second = lanes * (double)number(gpu, "core.count") * work->operations * hertz(gpu, "clock.core");

	style_say(stdout, "  %-22s %10.4g  %10s%-6s  core.count x lanes x %" PRIu32 " x clock.core; %s, %s%s%s\n",
		work->name, lanes, scaled(second, amount, sizeof amount), work->counted, work->operations, unit,
		work->interval, work->doubles ? ", " : "", work->doubles ? work->doubles : "");
}

/* Bytes of a line's data in each cycle of a port that sends whole packets of them. */
static double line_rate(const struct lockstep *gpu)
{
	uint64_t line = number(gpu, "line.bytes"), flit = number(gpu, "crossbar.flit");
	uint64_t flits = (line + number(gpu, "crossbar.header") + flit - 1) / flit;

	return (double)line / (double)flits;
}

static void print_rate(const char *name, double bytes, double second, const char *from)
{
	char amount[32];

	style_say(stdout, "  %-22s %10.5g  %10s%-6s  %s\n", name, bytes, scaled(second, amount, sizeof amount), "B/s",
		from);
}

/* Of a rate and one that may be 0: not given. */
static double least_given(double rate, double other)
{
	assert(rate > 0);
	return other > 0 ? fmin(rate, other) : rate;
}

static void print_bandwidth(const struct lockstep *gpu)
{
	double clock = hertz(gpu, "clock.core"), cores = (double)number(gpu, "core.count");
	double shared = least_given(4.0 * (double)number(gpu, "shared.banks"), (double)number(gpu, "lsu.width"));
	double in = number(gpu, "crossbar.core_data") ? (double)number(gpu, "crossbar.core_data") : line_rate(gpu);
	double sent = number(gpu, "crossbar.slice_data") ? 3200.0 / (double)number(gpu, "crossbar.slice_data")
							 : line_rate(gpu);
	double array = (double)number(gpu, "l2.slices") * fmin((double)number(gpu, "l2.port"), sent);
	uint64_t burst = number(gpu, "dram.burst_cycles"), gap = number(gpu, "dram.tCCD");
	double bytes = (double)(number(gpu, "dram.channels") * number(gpu, "dram.burst_bytes")) /
		       (double)(burst > gap ? burst : gap);
	double dram = bytes * hertz(gpu, "clock.dram");

	style_say(stdout, "\nbandwidth, reads          bytes/cycle    a second    from\n");
	print_rate("shared memory", shared * cores, shared * cores * clock,
		"core.count x shared.banks x 4 bytes, or lsu.width where that is less");
	print_rate("L2 to the cores", in * cores, in * cores * clock,
		"core.count x crossbar.core_data; 0: a line in whole flits, line.bytes, crossbar.flit, "
		"crossbar.header");
	print_rate("L2", array, array * clock,
		"l2.slices x l2.port, or 32 bytes in crossbar.slice_data where that is less; 0: a line in whole flits");
	print_rate("DRAM", dram / clock, dram,
		"dram.channels x dram.burst_bytes, each dram.burst_cycles or tCCD of clock.dram");
}

static void print_capacity(const struct lockstep *gpu)
{
	uint64_t bytes =
		number(gpu, "l2.slices") * number(gpu, "l2.sets") * number(gpu, "l2.ways") * number(gpu, "line.bytes");

	style_say(stdout, "\ncapacity                        KiB      in all    from\n");
	style_say(stdout, "  %-22s %10" PRIu64 "  %10.4g%-6s  %s\n", "L2 size", bytes >> 10, (double)bytes / (1 << 20),
		" MiB", "l2.slices x l2.sets x l2.ways x line.bytes");
}

static void print_latency(const struct lockstep *gpu, const char *name, uint64_t cycles, const char *from)
{
	style_say(stdout, "  %-22s %10" PRIu64 "  %10.4g%-6s  %s\n", name, cycles,
		(double)cycles / hertz(gpu, "clock.core") * 1e9, " ns", from);
}

/* Cycles of the core's clock that so many of DRAM's take. */
static uint64_t in_core_cycles(const struct lockstep *gpu, uint64_t cycles)
{
	assert(number(gpu, "clock.dram"));
	return cycles * number(gpu, "clock.core") / number(gpu, "clock.dram");
}

static void print_latencies(const struct lockstep *gpu)
{
	uint64_t core = number(gpu, "lsu.latency") + number(gpu, "latency.pipeline");
	uint64_t l2 = core + number(gpu, "crossbar.request_latency") + number(gpu, "l2.latency") +
		      number(gpu, "crossbar.reply_latency");
	uint64_t data = number(gpu, "dram.tCL") + number(gpu, "dram.burst_cycles");
	uint64_t row = data + number(gpu, "dram.tRCD");

	style_say(stdout, "\nlatency, nothing waits      cycles    from\n");
	print_latency(gpu, "integer add", number(gpu, "latency.int_add") + number(gpu, "latency.pipeline"),
		"latency.int_add, latency.pipeline");
	print_latency(gpu, "fp32 multiply-add", number(gpu, "latency.fp_mad") + number(gpu, "latency.pipeline"),
		"latency.fp_mad, latency.pipeline");
	print_latency(gpu, "shared memory", core + number(gpu, "shared.latency"),
		"lsu.latency, latency.pipeline, shared.latency");
	if (number(gpu, "l1.global"))
		print_latency(
			gpu, "L1 hit", core + number(gpu, "l1.latency"), "lsu.latency, latency.pipeline, l1.latency");
	print_latency(gpu, "L2 hit", l2,
		"lsu.latency, latency.pipeline, crossbar.request_latency, l2.latency, crossbar.reply_latency");
	if (number(gpu, "l2.parts") > 1)
		print_latency(gpu, "L2 hit, other part", l2 + number(gpu, "l2.far"), "and l2.far");
	l2 += number(gpu, "dram.latency");
	print_latency(gpu, "DRAM, open row", l2 + in_core_cycles(gpu, data),
		"as an L2 hit, dram.latency, dram.tCL and dram.burst_cycles of clock.dram");
	print_latency(gpu, "DRAM, closed row", l2 + in_core_cycles(gpu, row), "and dram.tRCD");
	print_latency(gpu, "device fence", number(gpu, "fence.latency"), "fence.latency");
}

void gpus_print_peaks(const struct lockstep *gpu)
{
	style_say(stdout, "arithmetic            lanes/cycle/core    a second    from\n");
	for (size_t k = 0; k < sizeof works / sizeof *works; k++)
		if (number(gpu, "core.capability") >= works[k].capability)
			print_work(gpu, &works[k]);
	print_bandwidth(gpu);
	print_capacity(gpu);
	print_latencies(gpu);
}
