// Inline PTX spelled `asm`, as NVIDIA's compiler takes it: with `volatile` and without, from a macro; and names that contain it.
// launch: --grid 2 --block 32 --arg buf:out:u32:64:zero --dump out
#define LANE(x) asm("mov.u32 %0, %%laneid;" : "=r"(x))

uint asm_add(uint a, uint b)
{
	uint sum;
	asm volatile("add.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b) : "memory");
	return sum;
}

kernel void f(global uint *out)
{
	uint lane, group;
	LANE(lane);
	asm __volatile__("mov.u32 %0, %%ctaid.x;\n\t"
			 "mul.lo.u32 %0, %0, 1000;" : "=r"(group));
	out[get_global_id(0)] = asm_add(lane, group);
}
