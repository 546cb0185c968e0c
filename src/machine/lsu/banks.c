/* The banks of shared memory: how long an access takes. */
#include "machine/lsu/banks.h"

#include "machine/core/core.h"
#include "machine/lsu/element.h"

uint32_t banks_cycles(const struct gpu_model *model, const struct insn *i, const uint64_t *address, lane_mask lanes)
{
	uint32_t words_each = access_bytes(i) > 4 ? access_bytes(i) / 4 : 1, count = 0, worst = 1;
	uint64_t words[CORE_WARPS];
	uint8_t load[64] = {0};

	EACH_LANE(l, lanes) {
		uint64_t word = address[l] / 4;
		uint32_t k = 0;

		while (k < count && words[k] != word)
			k++;
		if (k < count)
			continue;
		words[count++] = word;
	}
	for (uint32_t k = 0; k < count; k++)
		for (uint32_t e = 0; e < words_each; e++) {
			uint32_t bank = (uint32_t)(words[k] + e) % model->shared_banks;

			if (++load[bank] > worst)
				worst = load[bank];
		}
	return worst;
}

uint32_t banks_same_word(const uint64_t *address, lane_mask lanes)
{
	uint32_t worst = 0;

	EACH_LANE(l, lanes) {
		uint32_t same = 0;

		EACH_LANE(m, lanes)
			same += address[m] == address[l];
		worst = same > worst ? same : worst;
	}
	return worst;
}
