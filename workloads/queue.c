/* Programs of tasks in a queue, as queue.h says. */
#include "queue.h"

#include "queue_words.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t units(const struct gpu *gpu)
{
	cl_uint count;
	if (clGetDeviceInfo(gpu->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof count, &count, NULL))
		fail("clGetDeviceInfo: CL_DEVICE_MAX_COMPUTE_UNITS");
	return count;
}

struct queue queue_open(int argc, char **argv, const char *what, const char *file, struct number *numbers, size_t count,
	uint32_t task_words, uint32_t frame_words, uint64_t *seed)
{
	struct queue q = {0};
	*seed = options_read(argc, argv, what, numbers, count);
	q.slots = (uint32_t)numbers[QUEUE_SLOTS_OPTION].value;
	q.frames = (uint32_t)numbers[QUEUE_FRAMES_OPTION].value;
	q.threads = (uint32_t)numbers[QUEUE_GROUP].value;
	if (q.slots & (q.slots - 1))
		options_refuse("--slots %u: expected a power of two", q.slots);
	q.gpu = gpu_open(file, gpu_atomics_standard());
	q.groups = (uint32_t)numbers[QUEUE_PER_UNIT].value * units(&q.gpu);
	q.words = QUEUE_WORDS + (size_t)q.slots * (1 + task_words) + (size_t)q.frames * frame_words;
	q.host = allocate(q.words, sizeof *q.host);
	for (uint32_t k = 0; k < q.slots; k++)
		q.host[QUEUE_WORDS + k] = k;
	return q;
}

uint32_t *queue_first(struct queue *q)
{
	q->host[QUEUE_WORDS] = q->host[QUEUE_TAIL] = q->host[QUEUE_OUTSTANDING] = 1;
	return &q->host[QUEUE_WORDS + q->slots];
}

void queue_begin(struct queue *q)
{
	q->memory = gpu_buffer(&q->gpu, q->words * sizeof *q->host, q->host);
	q->began = gpu_time(&q->gpu);
}

void queue_finish(struct queue *q)
{
	const uint32_t *w = q->host;
	if (clFinish(q->gpu.queue))
		fail("the launch did not end");
	double ns = gpu_time(&q->gpu) - q->began;
	gpu_read(&q->gpu, q->memory, QUEUE_WORDS * sizeof *q->host, q->host);
	if (w[QUEUE_FULL])
		fail("%s are too few", w[QUEUE_FRAMES] > q->frames ? "the frames" : "the queue's slots");
	if (w[QUEUE_OUTSTANDING] || w[QUEUE_HEAD] != w[QUEUE_TAIL])
		fail("%u tasks are left", w[QUEUE_TAIL] - w[QUEUE_HEAD]);
	printf("%.0f ns, tasks: %u, warps: %u, slots: %u of %u at most, frames: %u of %u\n", ns, w[QUEUE_TAKEN],
		w[QUEUE_BATCHES] * ((q->threads + 63) / 64), w[QUEUE_MOST], q->slots, w[QUEUE_FRAMES], q->frames);
}

void queue_close(struct queue *q)
{
	gpu_free(q->memory);
	free(q->host);
	gpu_close(&q->gpu);
}
