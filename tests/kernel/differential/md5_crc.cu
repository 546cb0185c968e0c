// MD5 of a message of bytes per thread with a padded local block, then CRC-32 of the digest through a table made in shared memory.
__constant__ unsigned char turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
extern "C" __global__ void md5_crc(const unsigned char *text, const unsigned *table, unsigned *out)
{
	__shared__ unsigned crc[256];
	for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
		unsigned c = i;
		for (int b = 0; b < 8; b++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		crc[i] = c;
	}
	__syncthreads();
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, length = t * 7 % 111;
	const unsigned char *m = text + t * 40;
	unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
	for (unsigned at = 0; at < length + 9; at += 64) {
		unsigned char block[64];
		for (unsigned i = 0; i < 64; i++) {
			unsigned p = at + i;
			block[i] = p < length ? m[p] : p == length ? 0x80 : 0;
		}
		if (at + 64 >= length + 9) {
			unsigned long long bits = length * 8ull;
			for (int i = 0; i < 8; i++)
				block[56 + i] = (unsigned char)(bits >> 8 * i);
		}
		unsigned A = a, B = b, C = c, D = d;
		for (unsigned i = 0; i < 64; i++) {
			unsigned f, g;
			switch (i / 16) {
			case 0: f = (B & C) | (~B & D); g = i; break;
			case 1: f = (D & B) | (~D & C); g = (5 * i + 1) % 16; break;
			case 2: f = B ^ C ^ D; g = (3 * i + 5) % 16; break;
			default: f = C ^ (B | ~D); g = 7 * i % 16;
			}
			unsigned word = block[g * 4] | block[g * 4 + 1] << 8 | block[g * 4 + 2] << 16 | (unsigned)block[g * 4 + 3] << 24;
			f += A + table[i] + word;
			A = D, D = C, C = B;
			unsigned s = turns[i / 16 * 4 + i % 4];
			B += f << s | f >> (32 - s);
		}
		a += A, b += B, c += C, d += D;
	}
	unsigned sum = ~0u, digest[4] = {a, b, c, d};
	for (int i = 0; i < 16; i++)
		sum = crc[(sum ^ ((unsigned char *)digest)[i]) & 255] ^ sum >> 8;
	for (int i = 0; i < 4; i++)
		out[t * 5 + i] = digest[i];
	out[t * 5 + 4] = ~sum;
}
