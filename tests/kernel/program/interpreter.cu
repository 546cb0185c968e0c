// A bytecode interpreter in every thread: a switch of a dozen cases (a jump table) in a loop, a stack in local memory, another program in every lane.
// launch: --grid 2 --block 48 --arg buf:code:u8:6144:random=77 --arg buf:out:s64:96:zero --dump out
extern "C" __global__ void interpreter(const unsigned char *code, long long *out)
{
	long long stack[8];
	unsigned depth = 0, thread = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
	for (int k = 0; k < 8; k++)
		stack[k] = thread + k;
	code += thread * 64;
	for (int steps = 0; steps < 200 && at < 64; steps++) {
		unsigned op = code[at++];
		long long &top = stack[depth & 7], &next = stack[(depth - 1) & 7];
		switch (op % 13) {
		case 0: stack[++depth & 7] = op; break;
		case 1: next += top; depth--; break;
		case 2: next -= top; depth--; break;
		case 3: next *= top; depth--; break;
		case 4: next = top ? next / top : -1; depth--; break;
		case 5: next = top ? next % top : -1; depth--; break;
		case 6: top = ~top; break;
		case 7: top = top << (op & 31); break;
		case 8: top = top >> (op & 15); break;
		case 9: if (top & 1) at = (at + op / 13) & 63; break;
		case 10: { long long swap = top; top = next; next = swap; break; }
		case 11: stack[(depth + 1) & 7] = top; depth++; break;
		default: top ^= stack[op & 7]; break;
		}
	}
	long long sum = 0;
	for (int k = 0; k < 8; k++)
		sum = sum * 31 + stack[k];
	out[thread] = sum + depth;
}
