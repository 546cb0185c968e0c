// `asm` is no keyword of OpenCL C: a program may have it as a name.
// launch: --grid 1 --block 32 --arg buf:out:u32:32:zero --dump out
uint twice(uint asm)
{
	return asm * 2;
}

kernel void f(global uint *out)
{
	uint asm = get_global_id(0);
	out[asm] = twice(asm) + 1;
}
