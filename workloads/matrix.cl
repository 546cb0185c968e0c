/* C = A * B (paper 5, Table 4): a work-item computes 4 x 4 elements, in vectors, as AMD's sample without local memory does.  `across`: vectors in
 * a row. */
kernel void multiply(const global uint4 *a, const global uint4 *b, global uint4 *c, uint across)
{
	const uint x = get_global_id(0), y = 4 * get_global_id(1);
	uint4 sum[4] = {0, 0, 0, 0};

	for (uint k = 0; k < across; k++) {
		const uint4 b0 = b[(4 * k + 0) * across + x], b1 = b[(4 * k + 1) * across + x];
		const uint4 b2 = b[(4 * k + 2) * across + x], b3 = b[(4 * k + 3) * across + x];
		for (uint row = 0; row < 4; row++) {
			const uint4 left = a[(y + row) * across + k];
			sum[row] += left.x * b0 + left.y * b1 + left.z * b2 + left.w * b3;
		}
	}
	for (uint row = 0; row < 4; row++)
		c[(y + row) * across + x] = sum[row];
}

/* Likewise; a work-item computes one element, and reads two words for each product. */
kernel void multiply_words(const global uint *a, const global uint *b, global uint *c, uint side)
{
	const uint x = get_global_id(0), y = get_global_id(1);
	uint sum = 0;

	for (uint k = 0; k < side; k++)
		sum += a[y * side + k] * b[k * side + x];
	c[y * side + x] = sum;
}
