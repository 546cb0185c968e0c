/* The table of instructions: what is found, what is refused and why, and that every row has its functions. */
#include "lanes_harness.h"

#include "memory/address_space.h"
#include "warp/windows.h"

_Static_assert(SHARED_WINDOW == SHARED_BASE && LOCAL_WINDOW == LOCAL_BASE && PARAMETER_WINDOW == PARAMETER_BASE &&
		       GLOBAL_WINDOW == GLOBAL_BASE && WINDOW_SIZE == WINDOW_BYTES,
	"one map of generic addresses");

static enum op find(const char *text, char *reason, uint32_t size)
{
	char copy[160];
	struct ptx_words words = {0};
	struct ptx_modifiers modifiers;
	enum ptx_type types[4];
	uint32_t count;
	snprintf(copy, sizeof copy, "%s", text);
	split_words(copy, &words);
	return ptx_find_op(&words, &modifiers, types, &count, reason, size);
}

static const char *const accepted[] = {
	"add.s32",
	"add.u16x2",
	"add.cc.u32",
	"add.cc.s64",
	"add.rz.ftz.sat.f32",
	"add.rm.f64",
	"add.f16x2",
	"add.rn.bf16",
	"add.rn.f32.f16",
	"add.rn.f32x2",
	"sub.sat.s32",
	"sub.f16",
	"sub.cc.u32",
	"addc.u32",
	"addc.cc.u64",
	"subc.cc.u32",
	"mul.wide.s16",
	"mul.lo.u64",
	"mul.hi.s32",
	"mul.f32",
	"mul.rp.f64",
	"mul.bf16x2",
	"mad.lo.s32",
	"mad.wide.u32",
	"mad.hi.sat.s32",
	"mad.lo.cc.u32",
	"madc.hi.cc.u32",
	"mad.rn.f32",
	"mul24.lo.u32",
	"mad24.hi.sat.s32",
	"sad.u16",
	"div.s16",
	"div.rn.f32",
	"div.full.ftz.f32",
	"div.approx.f32",
	"div.rz.f64",
	"rem.u64",
	"abs.s64",
	"abs.ftz.f32",
	"abs.f16x2",
	"neg.bf16",
	"min.u16x2",
	"min.relu.s32",
	"min.NaN.xorsign.abs.f32",
	"max.ftz.f16",
	"fma.rn.relu.bf16x2",
	"fma.rn.ftz.sat.f16",
	"fma.rz.f32",
	"rcp.approx.ftz.f64",
	"rcp.rn.f32",
	"sqrt.approx.ftz.f32",
	"sqrt.rn.f64",
	"rsqrt.approx.f64",
	"rsqrt.approx.ftz.f64",
	"sin.approx.ftz.f32",
	"lg2.approx.f32",
	"ex2.approx.ftz.bf16x2",
	"ex2.approx.f16",
	"tanh.approx.f16x2",
	"popc.b64",
	"clz.b32",
	"bfind.shiftamt.s64",
	"brev.b32",
	"bfe.s64",
	"bfi.b64",
	"fns.b32",
	"bmsk.clamp.b32",
	"szext.wrap.s32",
	"lop3.b32",
	"lop3.or.b32",
	"shf.l.wrap.b32",
	"shl.b16",
	"shr.s64",
	"shr.b32",
	"prmt.b32",
	"prmt.b32.rc16",
	"copysign.f64",
	"dp4a.u32.s32",
	"dp2a.hi.s32.u32",
	"vadd.s32.u32.s32.sat.add",
	"vmad.s32.s32.u32.sat.shr15",
	"vmad.u32.u32.u32.po",
	"vshl.u32.u32.u32.clamp.add",
	"vset.s32.u32.lt.max",
	"vadd4.s32.s32.u32.sat",
	"vset4.u32.u32.ge.add",
	"vavrg2.s32.s32.s32",
	"vabsdiff4.u32.u32.u32.add",
	"and.pred",
	"not.pred",
	"xor.b16",
	"cnot.b64",
	"setp.lt.and.s32",
	"setp.eq.b16",
	"setp.gtu.ftz.f32",
	"setp.nan.f64",
	"setp.lt.bf16x2",
	"set.le.u32.f32",
	"set.eq.f16x2.f16x2",
	"selp.f64",
	"slct.ftz.u32.f32",
	"mov.b128",
	"mov.pred",
	"mov.f64",
	"cvt.rzi.s32.f32",
	"cvt.rni.ftz.f32.f32",
	"cvt.sat.u8.s32",
	"cvt.rna.tf32.f32",
	"cvt.rn.f16x2.f32",
	"cvt.rn.relu.bf16x2.f32",
	"cvt.rz.satfinite.f16x2.f32",
	"cvt.rm.f64.u64",
	"cvt.rn.satfinite.relu.e4m3x2.f32",
	"cvt.rn.satfinite.e5m2x2.f16x2",
	"cvt.rn.f16x2.e2m1x2",
	"cvt.rp.satfinite.ue8m0x2.bf16x2",
	"cvt.pack.sat.s16.s32",
	"cvt.pack.sat.u8.s32.b32",
	"cvt.f32.bf16",
	"cvta.to.shared.u64",
	"cvta.local.u64",
	"isspacep.shared::cta",
	"testp.subnormal.f64",
	"vote.sync.ballot.b32",
	"vote.ballot.sync.b32",
	"vote.uni.pred",
	"shfl.sync.bfly.b32",
	"shfl.up.b32",
	"match.all.sync.b64",
	"redux.sync.max.NaN.abs.f32",
	"redux.sync.xor.b32",
	"activemask.b32",
	"elect.sync",
	"bar.sync",
	"bar.cta.sync",
	"bar.red.popc.u32",
	"barrier.sync.aligned",
	"barrier.cta.red.or.pred",
	"bar.warp.sync",
	"membar.gl",
	"fence.acq_rel.gpu",
	"fence.sc.cluster",
	"fence.proxy.alias",
	"ld.volatile.global.v4.f32",
	"ld.global.nc.L1::no_allocate.L2::128B.v2.b64",
	"ld.acquire.sys.b8",
	"ld.param::func.b128",
	"ld.global.ca.nc.u32",
	"ldu.global.v2.u32",
	"st.release.gpu.b128",
	"st.mmio.relaxed.sys.global.u32",
	"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32",
	"st.async.cluster.mbarrier::complete_tx::bytes.v2.f64",
	"st.async.release.gpu.global.b8",
	"st.async.mmio.release.sys.s64",
	"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64",
	"red.async.relaxed.cluster.dec.u32",
	"red.async.mmio.release.sys.global.add.s64",
	"createpolicy.fractional.L2::evict_last.b64",
	"createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64",
	"createpolicy.range.global.L2::evict_normal.L2::evict_unchanged.b64",
	"createpolicy.cvt.L2.b64",
	"ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.f32",
	"ld.relaxed.gpu.L2::cache_hint.u32",
	"st.global.L1::evict_last.L2::cache_hint.b32",
	"atom.global.L2::cache_hint.cas.b32",
	"red.global.L2::cache_hint.add.noftz.v2.f16x2",
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.max.bf16",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16",
	"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.dec.u32",
	"atom.global.cta.add.u32",
	"atom.cas.b16",
	"atom.exch.acq_rel.sys.b128",
	"atom.add.noftz.bf16x2",
	"atom.shared::cluster.min.s64",
	"red.and.release.cta.b32",
	"red.global.add.f64",
	"bra.uni",
	"brx.idx",
	"call.uni",
	"ret",
	"exit",
	"trap",
	"brkpt",
	"nanosleep.u32",
	"setmaxnreg.dec.sync.aligned.u32",
	"pmevent",
	"pmevent.mask",
	"participant.u32",
	"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64",
	"mbarrier.try_wait.parity.shared.b64",
	"mbarrier.pending_count.b64",
	"griddepcontrol.wait",
	"cp.async.ca.shared.global",
	"cp.async.cg.shared::cta.global.L2::cache_hint.L2::128B",
	"cp.async.mbarrier.arrive.noinc.shared.b64",
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
	"fence.proxy.async.shared::cta",
	"fence.proxy.tensormap::generic.acquire.gpu",
	"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cluster.sync.aligned",
	"cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
	"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster",
	"cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group",
	"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
	"cp.async.bulk.prefetch.tensor.2d.L2.global.tile",
	"prefetch.const.tensormap",
	"tensormap.replace.tile.global_address.shared::cta.b1024.b64",
	"tensormap.replace.tile.box_dim.global.b1024.b32",
	"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
	"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
	"mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32",
	"mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32",
	"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32",
	"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32",
	"mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32",
	"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
	"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
	"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
	"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
	"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
	"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",
	"wmma.load.a.sync.aligned.row.m16n16k16.shared::cta.f16",
	"movmatrix.sync.aligned.m8n8.trans.b16",
};

static const struct refusal {
	const char *text, *part;
} refused[] = {
	{"foo.u32", "unknown instruction 'foo'"},
	{"fmaa.rn.f32", "nearest: 'fma'"},
	{"add.wide.u32", "does not take .wide"},
	{"mul.s32", "needs .lo or .hi or .wide"},
	{"add.b32", "does not take type .b32"},
	{"add.cc.f32", "does not take type .f32"},
	{"add.sat.u32", "does not take type .u32"},
	{"add.rz.f16", "does not take type .f16"},
	{"ld.acquire.relaxed.gpu.b32", "two words of a kind"},
	{"mov.u32.u32", "takes one type, not 2"},
	{"ld.global", "needs a type"},
	{"ld.ca.cg.u32", ".cg is the second"},
	{"exit.u32", "written without one"},
	{"cvt.s32.f32", "needs .rni"},
	{"cvt.rn.s32.f32", "needs .rni"},
	{"cvt.rn.f64.f32", "takes no rounding"},
	{"cvt.f32.f64", "needs .rn"},
	{"cvt.rs.f16x2.f32", "stochastic"},
	{"cvt.rn.e4m3x2.f32", "needs .satfinite"},
	{"cvt.satfinite.e4m3x2.f32", "needs .rn"},
	{"cvt.rz.satfinite.e4m3x2.f16x2", "needs .rn"},
	{"cvt.rn.satfinite.e4m3x2.bf16x2", "floats of 8 and 4 bits are made of two .f32, or of .f16x2"},
	{"cvt.rn.satfinite.e2m3x2.f16x2", "floats of 6 bits are made of two .f32"},
	{"cvt.rn.satfinite.f16x2.e5m2x2", "every value fits"},
	{"cvt.f16x2.e5m2x2", "needs .rn"},
	{"cvt.rn.f16x2.ue8m0x2", "a pair of .f16 is made of two .f32, or of .e4m3x2"},
	{"cvt.rn.bf16x2.e4m3x2", "a pair of .bf16 is made of two .f32, or of .ue8m0x2"},
	{"cvt.rn.ue8m0x2.f32", "needs .rz or .rp"},
	{"cvt.rz.ue8m0x2.f16x2", ".ue8m0x2 is made of two .f32, or of .bf16x2"},
	{"cvt.rz.relu.ue8m0x2.f32", ".relu does not go with .ue8m0x2"},
	{"cvt.rn.relu.bf16x2.ue8m0x2", ".relu does not go with .ue8m0x2"},
	{"cvt.rn.f32.f16x2", "no .f32 is made of that"},
	{"setp.s32", "needs a comparison"},
	{"setp.equ.s32", "compares integers"},
	{"setp.lo.f32", "compare integers"},
	{"set.eq.f16x2.f32", "needs a pair"},
	{"vadd2.u32.u32.u32.min", "only .add"},
	{"slct.u32.u32", "selects by"},
	{"cvta.u64", "needs a state space"},
	{"atom.global.add.v2.u32", "does not take type .u32"},
	{"atom.add.v2.f16", "needs .noftz"},
	{"barrier.cluster.arrive.acquire", "its orders are .release .relaxed"},
	{"barrier.arrive.cluster", "is written .cluster first"},
	{"clusterlaunchcontrol.try_cancel.async", "has not started"},
	{"fence.proxy.tensormap", ".tensormap::generic"},
	{"fence.proxy.generic", "there are .alias, .async and .tensormap::generic"},
	{"cp.async.ca.global", "from .global to .shared"},
	{"tex.2dms.v4.f32.s32", "several samples"},
	{"tex.2d.f32.f32", ".v4"},
	{"tld4.r.3d.v4.f32.f32", "only .2d"},
	{"suld.b.cube.b32.trap", "does not take .cube"},
	{"sured.p.add.2d.b32.trap", "formatted operations"},
	{"wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32", "no such shape"},
	{"mma.sync.aligned.m8n8k64.row.col.s32.s4.s4.s32", "no such shape"},
	{"mma.sync.aligned.m8n16k8.row.col.f32.f16.f16.f32", "no such shape"},
	{"mma.sync.aligned.m16n8k8.col.row.f32.tf32.tf32.f32", "takes .row.col only"},
	{"mma.sync.aligned.m16n8k8.row.row.f32.tf32.tf32.f32", "takes .row.col only"},
	{"mma.sync.aligned.m16n8k8.col.col.f32.tf32.tf32.f32", "takes .row.col only"},
	{"mma.sync.aligned.m16n8k8.row.f32.tf32.tf32.f32", "needs .row or .col for a and for b"},
	{"mma.sync.aligned.m16n8k8.row.col.f32.s8.s8.f32", "do not go together"},
	{"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "not supported"},
	{"ldmatrix.sync.aligned.m8n8.shared.b16", "needs .x1 .x2 or .x4"},
	{"cp.async.bulk.tensor.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
		"needs the number of dimensions"},
	{"cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
		".im2col has .3d .4d or .5d"},
	{"cp.async.bulk.tensor.3d.shared::cta.global.im2col_no_offs.mbarrier::complete_tx::bytes",
		"goes to global memory"},
	{"cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group", "has .im2col_no_offs"},
	{"cp.async.bulk.tensor.a2d.shared::cluster.global.mbarrier::complete_tx::bytes", "does not take .a2d"},
	{"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes", "gathering rows"},
	{"cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes",
		"this mode of tensor copies"},
	{"tex.4d.v4.f32.f32", "does not take .4d"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add", "needs a type"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16", "needs .noftz with this type"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32", ".noftz goes with .f16 .bf16"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64", "does not take type .s64"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32", "does not take type .f32"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.s32", "does not take type .s32"},
	{"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u64",
		"does not take type .u64"},
	{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster",
		"complete_tx::bytes does not take .multicast::cluster: it takes no more words"},
	/* the row that begins with the most of the words is meant, and what may follow there is said */
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.sub.u32",
		"cp.reduce.async.bulk.global.shared::cta.bulk_group does not take .sub (expected .add .min .max .inc "
		".dec .and "
		".or .xor)"},
	{"cp.reduce.async.bulk.global.global.bulk_group.add.u32",
		"cp.reduce.async.bulk.global does not take .global (expected .shared::cta)"},
	{"cp.reduce.async.bulk.shared::cluster.shared::cta.add.u32",
		"cp.reduce.async.bulk.shared::cluster.shared::cta needs .mbarrier::complete_tx::bytes"},
	{"cp.reduce.async.bulk.add.u32", "cp.reduce.async.bulk needs .shared::cluster or .global"},
	{"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.noftz.f16",
		"does not take .noftz: it takes no more words"},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast",
		"complete_tx::bytes does not take .multicast (expected .multicast::cluster)"},
	{"mbarrier.wait.shared.b64", "does not take .wait"},
	{"griddepcontrol.stop", "does not take .stop"},
	{"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16", "sparse matrices"},
	{"wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16", "no such shape"},
	{"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.u8", "no such shape"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16", "do not go together"},
	{"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.s8", "do not go together"},
	{"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1", "take .and.popc"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.satfinite.f32.f16.f16", ".satfinite goes with .s8"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.row.f32.f16.f16", "neither .row nor .col"},
	{"wgmma.fence.aligned", "needs .mma_async or .sync"},
	{"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "not supported here"},
	{"tcgen05.alloc", "tensor memory"},
	{"mapa.shared.u64", "its only state space is .shared::cluster"},
	{"getctarank.global.u32", "its only state space is .shared::cluster"},
	{"multimem.red.f32", "several devices"},
	{"setmaxnreg.inc.sync.u32", "needs .aligned"},
	{"prefetch.global.tensormap", "its state spaces are .const .param"},
	{"discard.global.L2", "cache control"},
	{"createpolicy.fractional.b64", "needs a priority: .L2::evict_last"},
	{"createpolicy.fractional.L2::evict_last.L2::evict_last.b64", "two words of a kind"},
	{"createpolicy.fractional.L2::evict_first.L2::evict_normal.b64", "two words of a kind"},
	{"createpolicy.range.shared.L2::evict_last.b64", "its only state space is .global"},
	{"createpolicy.cvt.b64", "needs .L2"},
	{"ld.shared.L2::cache_hint.u32", ".L2::cache_hint goes with .global or generic addresses"},
	{"ld.volatile.global.L2::cache_hint.u32", ".L2::cache_hint goes with no .volatile and no .mmio"},
	{"atom.shared.L2::cache_hint.add.u32", ".L2::cache_hint goes with .global or generic addresses"},
	{"atom.global.L2::evict_last.add.u32", "eviction priorities go with loads and stores"},
	{"ldu.global.L2::cache_hint.u32", "does not take .L2::cache_hint"},
	{"applypriority.global.L2::evict_normal", "cache control"},
	{"st.async.b32", "needs .mbarrier::complete_tx::bytes, or .release in global memory"},
	{"st.async.relaxed.cluster.mbarrier::complete_tx::bytes.b32",
		"its orders are .weak, and .release with one value"},
	{"st.async.weak.gpu.mbarrier::complete_tx::bytes.b32", "its only scope is .cluster"},
	{"st.async.weak.cluster.mbarrier::complete_tx::bytes.b32", ".weak takes no scope"},
	{"st.async.shared::cta.mbarrier::complete_tx::bytes.b32", "its only state space is .shared::cluster"},
	{"st.async.global.mbarrier::complete_tx::bytes.b32", "its only state space is .shared::cluster"},
	{"st.async.mbarrier::complete_tx::bytes.v4.b64", "a vector has 16 bytes at most"},
	{"st.async.mbarrier::complete_tx::bytes.v8.b32", "a vector has 16 bytes at most"},
	{"st.async.mbarrier::complete_tx::bytes.v2.b128", "a vector has 16 bytes at most"},
	{"st.async.mbarrier::complete_tx::bytes.b16", "does not take type .b16"},
	{"st.async.release.global.u32", "needs a scope: .gpu or .sys"},
	{"st.async.release.gpu.shared::cluster.u32", "with .release its only state space is .global"},
	{"st.async.release.gpu.mmio.global.u32", ".mmio goes with .sys"},
	{"st.async.release.gpu.global.v2.u32", "and .release with one value and no mbarrier"},
	{"red.async.cluster.mbarrier::complete_tx::bytes.add.u32", "needs an order: .relaxed"},
	{"red.async.relaxed.gpu.mbarrier::complete_tx::bytes.add.u32", "its only scope is .cluster"},
	{"red.async.relaxed.cluster.shared.add.u32", "its only state space is .shared::cluster"},
	{"red.async.relaxed.cluster.add.s64", "red needs .release"},
	{"red.async.relaxed.cluster.min.u64", "does not take type .u64"},
	{"red.async.relaxed.cluster.inc.s32", "does not take type .s32"},
	{"red.async.relaxed.cluster.or.u32", "does not take type .u32"},
	{"red.async.release.cta.add.u32", "needs a scope: .cluster .gpu or .sys"},
	{"red.async.release.gpu.min.u32", "needs an order: .relaxed, or .release of .add"},
	{"tensormap.replace.tile.b1024.b64", "needs ."},
	{"tensormap.replace.tile.rank.global.b1024.b64", "does not take type .b64"},
	{"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sync.aligned", "needs a scope"},
	{"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync", "needs .aligned"},
	{"stackrestore.b64", "does not take type .b64"},
};

static void representative_spellings_are_found(void **state)
{
	(void)state;
	char reason[400];
	for (size_t k = 0; k < sizeof accepted / sizeof *accepted; k++)
		if (!find(accepted[k], reason, sizeof reason))
			fail_msg("%s: %s", accepted[k], reason);
}

static void refusals_say_why(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
		char reason[600] = "";
		assert_int_equal(find(refused[k].text, reason, sizeof reason), OP_NONE);
		if (!strstr(reason, refused[k].part))
			fail_msg("%s: \"%s\" does not say \"%s\"", refused[k].text, reason, refused[k].part);
	}
}

static void a_reason_is_cut_where_its_room_ends(void **state)
{
	(void)state;
	char reason[16];
	memset(reason, 'x', sizeof reason);
	assert_int_equal(find("add.b32", reason, 8), OP_NONE);
	assert_int_equal(strlen(reason), 7);
	assert_int_equal(reason[8], 'x');
}

static void words_become_modifiers(void **state)
{
	(void)state;
	struct insn insn = {0};
	call_decode("ld.relaxed.gpu.global.L1::evict_last.v4.f32", &insn);
	assert_int_equal(insn.op, OP_ld);
	assert_int_equal(insn.modifiers.order, order_RELAXED);
	assert_int_equal(insn.modifiers.scope, scope_GPU);
	assert_int_equal(insn.modifiers.space, space_GLOBAL);
	assert_int_equal(insn.modifiers.vector, vector_V4);
	call_decode("setp.lt.and.ftz.f32", &insn);
	assert_int_equal(insn.modifiers.compare, compare_LT);
	assert_int_equal(insn.modifiers.boolean, boolean_AND);
	assert_int_equal(insn.modifiers.flags, FLAG_FTZ);
	call_decode("max.NaN.xorsign.abs.f32", &insn);
	assert_int_equal(insn.modifiers.flags, FLAG_NAN_PROPAGATES | FLAG_XORSIGN_ABS);
	call_decode("atom.and.b32", &insn);
	assert_int_equal(insn.op, OP_atom_and);
	assert_int_equal(insn.modifiers.boolean, boolean_NONE);
}

static void shapes_and_their_types_have_the_same_operands(void **state)
{
	(void)state;
	for (unsigned shape = 0; shape < SHAPE_COUNT; shape++) {
		unsigned letters = 0;
		if (shape == SHAPE_CALL)
			continue;
		for (const char *c = ptx_shapes[shape]; *c; c++)
			letters += *c >= 'a' && *c <= 'z';
		assert_int_equal(letters, strlen(ptx_shape_types[shape]));
	}
}

static void operands_have_their_types(void **state)
{
	(void)state;
	const enum ptx_type shift[4] = {TYPE_B64}, wide[4] = {TYPE_S32}, convert[4] = {TYPE_F64, TYPE_S32},
			    select[4] = {TYPE_U16, TYPE_F32};
	assert_int_equal(ptx_operand_type(OP_shl, shift, 0), TYPE_B64);
	assert_int_equal(ptx_operand_type(OP_shl, shift, 2), TYPE_U32);
	assert_int_equal(ptx_operand_type(OP_mad_wide, wide, 0), TYPE_S64);
	assert_int_equal(ptx_operand_type(OP_mad_wide, wide, 2), TYPE_S32);
	assert_int_equal(ptx_operand_type(OP_mad_wide, wide, 3), TYPE_S64);
	assert_int_equal(ptx_operand_type(OP_cvt, convert, 0), TYPE_F64);
	assert_int_equal(ptx_operand_type(OP_cvt, convert, 1), TYPE_S32);
	assert_int_equal(ptx_operand_type(OP_slct, select, 3), TYPE_F32);
	assert_int_equal(ptx_operand_type(OP_popc, shift, 0), TYPE_U32);
	assert_int_equal(ptx_latency(OP_cvt, convert), LATENCY_DP_ADD);
	assert_int_equal(ptx_latency(OP_add_int, wide), LATENCY_INT_ADD);
}

/* Every row with every first, second and third type and every single modifier word: whatever is found must have a
 * function in every variant. */
static const char *const modifier_words[] = {
	"",
	".gpu",
	".1d.tile",
	".rn",
	".rz",
	".rm",
	".rp",
	".rna",
	".rni",
	".rzi",
	".rmi",
	".rpi",
	".eq",
	".ne",
	".lt",
	".le",
	".gt",
	".ge",
	".lo",
	".ls",
	".hi",
	".hs",
	".equ",
	".neu",
	".ltu",
	".leu",
	".gtu",
	".geu",
	".num",
	".nan",
	".eq.and",
	".ftz",
	".sat",
	".relu",
	".cc",
	".NaN",
	".xorsign.abs",
	".abs",
	".wrap",
	".clamp",
	".f4e",
	".rc16",
	".shared",
	".global",
	".local",
	".param",
	".const",
	".rn.satfinite",
	".rn.ftz",
	".rz.sat",
	".rzi.ftz",
	".L2::evict_last.L2::evict_first",
	".rpi.ftz",
	".rn.relu",
	".eq.ftz",
	".add",
	".min",
	".po",
	".shr7",
	".m16n8k8.row.col.f32.f16.f16.f32",
	".m16n16k16.row.col.f32.f32",
};

static unsigned require_functions(const char *text)
{
	char reason[400];
	struct insn insn = {0};
	if (!find(text, reason, sizeof reason))
		return 0;
	call_decode(text, &insn);
	if (ptx_ops[insn.op].kind == OP_KIND_CORE)
		return 0;
	for (unsigned k = 0; k < INSN_SOURCES; k++)
		insn.s[k] = SLOT_NONE;
	insn.s_bytes[0] = (uint8_t)slot_bytes(insn.type2);
	insn.d_bytes = (uint8_t)slot_bytes(insn.type);
#define REQUIRE(name, size, usable)                                                                                    \
	if ((usable) && !lanes_lookup_##name(&insn, NULL))                                                             \
		fail_msg("%s has no function in " #name, text);
	LANE_VARIANTS(REQUIRE)
#undef REQUIRE
	return 1;
}

/* Bytes of a spelling without a type at its end, which stands behind the others. */
static int without_type(const char *spelling)
{
	const char *last = strrchr(spelling, '.');
	for (unsigned type = 1; last && type < TYPE_COUNT; type++)
		if (!strcmp(ptx_types[type].text, last + 1))
			return (int)(last - spelling);
	return (int)strlen(spelling);
}

static unsigned require_types(const struct op_info *row, const char *word)
{
	char text[160];
	int length = without_type(row->spelling);
	unsigned found = 0, seconds = row->allow & (ALLOW_TYPE2 | ALLOW_TYPE3) ? TYPE_COUNT : 1;
	for (unsigned first = 0; first < TYPE_COUNT; first++) {
		if (!(row->types >> first & 1))
			continue;
		for (unsigned second = 0; second < seconds; second++) {
			const char *third = row->allow & ALLOW_TYPE3 ? row->result == RESULT_U32 ? ".b32" : ".u32" : "";
			snprintf(text, sizeof text, "%.*s%s%s%s%s%s%s%s", length, row->spelling, word, first ? "." : "",
				ptx_types[first].text, second ? "." : "", ptx_types[second].text, third,
				row->spelling + length);
			found += require_functions(text);
		}
	}
	return found;
}

/* With sanitizers the whole takes twenty seconds: there each row has every third word, other rows have others. */
#if LOCKSTEP_HOSTILE
#define WORD_STEP 3
#else
#define WORD_STEP 1
#endif

static void every_row_has_its_functions(void **state)
{
	(void)state;
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const struct op_info *row = &ptx_ops[op];
		unsigned found = 0;
		if (row->kind != OP_KIND_LANE && row->kind != OP_KIND_WARP)
			continue;
		for (size_t k = op % WORD_STEP; k < sizeof modifier_words / sizeof *modifier_words; k += WORD_STEP)
			found += require_types(row, modifier_words[k]);
		if (!found && WORD_STEP == 1)
			fail_msg("no spelling reaches row %s", row->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(representative_spellings_are_found),
		cmocka_unit_test(refusals_say_why),
		cmocka_unit_test(a_reason_is_cut_where_its_room_ends),
		cmocka_unit_test(words_become_modifiers),
		cmocka_unit_test(shapes_and_their_types_have_the_same_operands),
		cmocka_unit_test(operands_have_their_types),
		cmocka_unit_test(every_row_has_its_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
