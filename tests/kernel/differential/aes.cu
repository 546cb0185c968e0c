// AES-128: the S-box by inversion in GF(256) into shared memory, key expansion and ten rounds on local bytes.
__device__ unsigned char twice(unsigned char x)
{
	return (unsigned char)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}
__device__ __noinline__ unsigned char times(unsigned char a, unsigned char b)
{
	unsigned char r = 0;
	for (; b; b >>= 1, a = twice(a))
		if (b & 1)
			r ^= a;
	return r;
}
extern "C" __global__ void aes(const unsigned char *key, uchar4 *data)
{
	__shared__ unsigned char box[256], round[176];
	unsigned t = threadIdx.x;
	for (unsigned i = t; i < 256; i += blockDim.x) {
		unsigned char inverse = 0;
		for (unsigned j = 1; j < 256 && i; j++)
			if (times((unsigned char)i, (unsigned char)j) == 1) {
				inverse = (unsigned char)j;
				break;
			}
		unsigned v = inverse | inverse << 8;
		box[i] = (unsigned char)(v ^ v >> 4 ^ v >> 5 ^ v >> 6 ^ v >> 7 ^ 0x63);
	}
	__syncthreads();
	if (t == 0) {
		unsigned char factor = 1;
		for (int i = 0; i < 16; i++)
			round[i] = key[i];
		for (int i = 16; i < 176; i += 4) {
			unsigned char w[4];
			for (int j = 0; j < 4; j++)
				w[j] = round[i - 4 + j];
			if (i % 16 == 0) {
				unsigned char first = w[0];
				w[0] = box[w[1]] ^ factor, w[1] = box[w[2]], w[2] = box[w[3]], w[3] = box[first];
				factor = twice(factor);
			}
			for (int j = 0; j < 4; j++)
				round[i + j] = round[i - 16 + j] ^ w[j];
		}
	}
	__syncthreads();
	unsigned char s[16], u[16];
	for (int c = 0; c < 4; c++) {
		uchar4 v = data[t * 4 + c];
		s[c * 4] = v.x, s[c * 4 + 1] = v.y, s[c * 4 + 2] = v.z, s[c * 4 + 3] = v.w;
	}
	for (int i = 0; i < 16; i++)
		s[i] ^= round[i];
	for (int r = 1; r <= 10; r++) {
		for (int i = 0; i < 16; i++)
			u[i] = box[s[(i + i % 4 * 4) % 16]];
		for (int c = 0; c < 16; c += 4) {
			unsigned char all = u[c] ^ u[c + 1] ^ u[c + 2] ^ u[c + 3], first = u[c];
			for (int i = 0; i < 4; i++)
				s[c + i] = r == 10 ? u[c + i] : u[c + i] ^ all ^ twice(u[c + i] ^ (i == 3 ? first : u[c + i + 1]));
		}
		for (int i = 0; i < 16; i++)
			s[i] ^= round[r * 16 + i];
	}
	for (int c = 0; c < 4; c++)
		data[t * 4 + c] = make_uchar4(s[c * 4], s[c * 4 + 1], s[c * 4 + 2], s[c * 4 + 3]);
}
