// Levenshtein distance in every thread: an array in local memory indexed at run time, byte loads, three-way minima.
// launch: --grid 1 --block 64 --arg buf:words:u8:2048:random=5,97,101 --arg buf:out:u32:64:zero --dump out
extern "C" __global__ void edit_distance(const unsigned char *words, unsigned *out)
{
	unsigned row[17], n = threadIdx.x % 17, m = threadIdx.x * 5 % 17;
	const unsigned char *a = words + threadIdx.x * 32, *b = a + 16;
	for (unsigned k = 0; k <= m; k++)
		row[k] = k;
	for (unsigned i = 1; i <= n; i++) {
		unsigned corner = row[0];
		row[0] = i;
		for (unsigned k = 1; k <= m; k++) {
			unsigned up = row[k];
			row[k] = min(min(row[k] + 1, row[k - 1] + 1), corner + (a[i - 1] != b[k - 1]));
			corner = up;
		}
	}
	out[threadIdx.x] = row[m];
}
