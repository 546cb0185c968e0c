/* Ways to wait for ever by lock bits (paper 3, section 4.4), and which words have one bit (3.1). */
#include "lockstep_lock_bits.h"

#ifndef WORDS
#define WORDS 2304
#endif

/* Words whose bit is that of the first: out[k] is 1 when word k has another. */
kernel void stride(global int *out, uint words_tried)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[WORDS];
	lockstep_bit_lock(&words[0]);
	for (uint k = 1; k < words_tried; k++) {
		out[k] = lockstep_bit_lock(&words[k]);
		if (out[k])
			lockstep_bit_unlock(&words[k], 0);
	}
	lockstep_bit_unlock(&words[0], 0);
}

/* 4.4.1: thread 1 waits in a loop for thread 0, which its warp does not run meanwhile. */
kernel void in_warp(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int channel;
	uint t = get_local_id(0);
	int value = 0;
	if (t == 0)
		lockstep_channel_close(&channel);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t == 1) {
		value = lockstep_channel_take(&channel);
		lockstep_bit_unlock(&channel, value);
	}
	if (t == 0)
		lockstep_channel_put(&channel, 7);
	out[t] = value;
}

/* The same in the divergent form. */
kernel void in_warp_divergent(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int channel;
	uint t = get_local_id(0);
	int value = 0, done = t > 1;
	if (t == 0)
		lockstep_channel_close(&channel);
	barrier(CLK_LOCAL_MEM_FENCE);
	while (!done) {
		lockstep_loaded loaded = {0, 0};
		if (t == 0)
			__lockstep_store_unlock(&channel, 7);
		else
			loaded = __lockstep_load_lock(&channel);
		if (loaded.got) {
			value = loaded.value;
			__lockstep_store_unlock(&channel, value);
		}
		done = lockstep_opaque_(t == 0 || loaded.got);
	}
	out[t] = value;
}

/* 4.4.2, the first condition: thread 0 has the bit of a word, and waits for that of the word `apart` words behind it. */
kernel void own_alias(global int *out, uint apart)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[WORDS];
	if (get_local_id(0) == 0) {
		lockstep_bit_lock(&words[0]);
		lockstep_bit_wait(&words[apart]);
		lockstep_bit_unlock(&words[0], 0);
		lockstep_bit_unlock(&words[apart], 0);
	}
	out[get_local_id(0)] = 7 * (get_local_id(0) == 1);
}

/* 4.4.2, the second: a thread of each of two warps takes a bit before the barrier. */
kernel void alias_at_barrier(global int *out, uint apart)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[WORDS];
	uint t = get_local_id(0), word = t == 0 ? 0 : apart;
	bool takes = t == 0 || t == get_local_size(0) - 1;
	if (takes)
		lockstep_bit_wait(&words[word]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (takes)
		lockstep_bit_unlock(&words[word], 0);
	out[t] = 7 * (t == 1);
}
