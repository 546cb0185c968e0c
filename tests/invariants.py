#!/usr/bin/env python3
"""What must hold between the counters of any launch, whatever the kernel: tests/run_kernels.py checks it in every run.

    tests/invariants.py REPORT.json...        what does not hold in these reports, one line each; exit status 1 if anything

A row: when it must hold, Python over the counters (their names without .sum; .max is _max), the fields of the configuration
(dots as _) and the facts of `facts` below, and why it must hold.  A counter that is dropped, counted twice or counted where it
should not be breaks a row, unless another one is wrong in the same way; those have exact values in tests/kernel/counter."""
import json
import sys

ANY = "any"                 # both modes, whatever the outcome
DONE = "done"               # both modes, completed
TIMING = "timing"           # timing mode, whatever the outcome
TIMED = "timing, done"      # timing mode, completed: every request is answered, every group has ended
FUNCTIONAL = "functional"   # functional mode, whatever the outcome


INVARIANTS = [
    # --- Instructions ---
    (ANY, "sum(classes) == smsp__inst_executed", "an instruction is of one class"),
    (ANY, "smsp__thread_inst_executed <= smsp__lane_slots == smsp__inst_executed * core_warp_size", "no more lanes than a warp has"),
    (ANY, "smsp__inst_executed == warp_instructions and smsp__thread_inst_executed == thread_instructions", "the report says both twice"),
    (ANY, "smsp__branches_divergent <= smsp__branches <= sm__inst_executed_cbu", "branches are control instructions"),
    (ANY, "sync__barrier_arrivals <= sm__inst_executed_barrier", "a warp, or a path of one, arrives by an instruction"),
    (ANY, "sync__fences <= sm__inst_executed_fence + accesses", "a fence is an instruction or part of an ordered access"),
    (ANY, "sync__lock_releases + sync__lock_time_outs <= sm__inst_executed_atomic * core_warp_size",
     "lock instructions are of the atomics' class, and each lane ends one once"),
    (DONE, "smsp__thread_inst_executed >= groups * threads", "every thread executes what ends it"),
    (DONE, "smsp__inst_executed >= sm__warps_launched", "and so does every warp"),

    # --- Work-groups and warps ---
    (ANY, "sm__ctas_launched <= groups", "a work-group is dispatched once"),
    (DONE, "sm__ctas_launched == groups", "every work-group has been dispatched"),
    (ANY, "sm__warps_launched == sm__ctas_launched * group_warps", "with all of its warps"),
    (ANY, "sm__cores_used <= core_count and sm__cores_used <= sm__ctas_launched", "a core is used by a work-group"),

    # --- Cycles of schedulers and cores ---
    (TIMING, "issue_at_most or smsp__inst_executed - smsp__inst_vanished == smsp__issue_active", "where one instruction is issued at a time"),
    (TIMING, "smsp__issue_active <= smsp__inst_executed - smsp__inst_vanished <= core_issue * smsp__issue_active", "a scheduler issues one to core.issue instructions"),
    (TIMING, "scheduler_cycles % core_schedulers == 0", "each scheduler of a core issues or stalls in each cycle"),
    (TIMING, "stopped or scheduler_cycles % (core_schedulers * core_count) == 0", "each core has had the same cycles, but for one that a fault has stopped"),
    (TIMING, "stopped or cycles * core_schedulers * core_count <= scheduler_cycles", "the launch ends with the last issue, reply or end of a group, its quantum is counted to the end"),
    (TIMED, "scheduler_cycles < (cycles + quantum) * core_schedulers * core_count", "the end is seen at the end of its quantum"),
    (TIMING, "sm__cycles_active * core_schedulers <= scheduler_cycles", "no core works in more cycles than there were"),
    (TIMING, "sm__cycles_active <= sm__warps_active <= sm__cycles_active * resident_warps", "an active core has one warp at least, and no more than fit"),
    (TIMING, "smsp__issue_active <= sm__cycles_active * core_schedulers", "only where a warp is resident something is issued"),
    (TIMING, "smsp__issue_active <= sm__warps_active", "by one scheduler in a cycle"),
    (TIMING, "smsp__issue_stalled_no_warp >= scheduler_cycles - sm__cycles_active * core_schedulers", "a core without warps has nothing else to wait for"),
    (TIMING, "not smsp__issue_stalled_lock or sync__lock_requests", "a warp that waits for a lock has asked for it"),
    (TIMING, "sync__fence_wait_cycles <= sm__warps_active and sync__sleep_cycles >= 0", "a warp waits in one fence at a time, while it is resident"),

    # --- The load-store unit and the L1 ---
    (TIMING, "l1tex__t_requests_load <= sm__inst_executed_load", "one instruction, one request at most"),
    (TIMING, "l1tex__t_requests_store <= sm__inst_executed_store", "likewise"),
    (TIMING, "l1tex__shared_requests <= accesses", "likewise"),
    (TIMING, "l1tex__local_requests <= accesses", "likewise"),
    (TIMING, "l1tex__t_requests_load <= l1tex__t_lines_load <= l1tex__t_requests_load * lines_most", "an instruction touches a line at least, a few a lane at most"),
    (TIMING, "l1tex__t_requests_store <= l1tex__t_lines_store <= l1tex__t_requests_store * lines_most", "likewise"),
    (TIMING, "l1tex__t_hits + l1tex__t_misses_merged <= l1tex__t_lookups", "a lookup is a hit, a miss that joins another, or a miss"),
    (TIMING, "l1tex__m_packets_load + l1tex__m_packets_share == l1tex__t_lookups - l1tex__t_hits - l1tex__t_misses_merged + l1tex__t_bypassed",
     "a miss of its own, and each load that does not look, is a request"),
    (TIMING, "l1tex__stale_hits <= l1tex__t_hits", "an old value comes from a hit"),
    (TIMING, "l1_global or l1_texture or directory or not l1tex__t_lookups", "where no L1 is, nothing looks into it"),
    (TIMING, "l1tex__t_lookups + l1tex__t_bypassed <= l1tex__t_lines_load + l1tex__t_lines_bulk", "each line is looked up once, or asked for past the L1"),
    (TIMED, "l1tex__t_lines_bulk or l1tex__t_lookups + l1tex__t_bypassed == l1tex__t_lines_load", "and none is left out"),
    (TIMED, "l1tex__t_lines_bulk or l1tex__m_packets_store + l1tex__t_store_lookups == l1tex__t_lines_store", "stores are written through, a packet a line, or looked up"),
    (TIMED, "l1tex__t_lookups + l1tex__t_bypassed + l1tex__m_packets_store + l1tex__t_store_lookups == l1tex__t_lines_load + l1tex__t_lines_store + l1tex__t_lines_bulk",
     "bulk copies likewise"),
    (TIMED, "l1tex__stall_cycles * core_schedulers <= scheduler_cycles", "the unit is blocked in no more cycles than there were"),
    (TIMING, "l1tex__shared_requests or not l1tex__shared_bank_conflict_cycles", "conflicts are of accesses"),

    # --- Crossbar: packets by kind, and flits ---
    (TIMING, "l1tex__m_packets == sum(packets)", "a packet is of one kind"),
    (TIMED, "packets[:3] == replies[:3]", "a load, a store and an atomic has one answer each"),
    (TIMED, "l1tex__m_replies_lock >= l1tex__m_packets_lock", "a lock request has an answer or more, a release one"),
    (TIMING, "all(a >= b for a, b in zip(packets[:3], replies[:3]))", "nothing is answered that was not asked"),
    (TIMED, "lts__m_packets == sum(replies) + sum(controls)", "cores take in what slices send"),
    (TIMING, "lts__m_packets >= sum(replies)", "and nothing else"),
    (TIMED, "lts__m_request_flits <= l1tex__m_flits + control__m_flits <= lts__m_request_flits + l1tex__m_packets_evicted * flits(line_bytes)",
     "slices take in what cores send; of evictions the last may be on their way"),
    (TIMING, "l1tex__m_flits + control__m_flits >= lts__m_request_flits", "and nothing else"),
    (TIMED, "l1tex__m_reply_flits + control__m_reply_flits == lts__m_flits", "cores take in what slices send"),
    (TIMING, "l1tex__m_reply_flits + control__m_reply_flits <= lts__m_flits", "and nothing else"),
    (TIMING, "l1tex__m_flits >= l1tex__m_packets * header_flits", "every packet has a header"),
    (TIMING, "lts__m_flits >= lts__m_packets * header_flits", "likewise"),
    (TIMED, "sum(packets[1:]) or l1tex__m_flits == l1tex__m_packets * header_flits", "a request to load is a header"),
    (TIMED, "sum(asked[2:]) or queue_traffic or line_sector < line_bytes or lts__m_flits == asked[0] * flits(line_bytes) + asked[1] * header_flits",
     "its answer a line, an acknowledgement a header"),
    (TIMED, "queue_traffic or lts__m_flits * crossbar_flit >= lts__m_packets * crossbar_header + lts__t_sectors_op_read * l2_sector",
     "what loads have read is sent"),
    (TIMED, "sum(asked[2:]) or lts__m_flits * crossbar_flit <= lts__m_packets * (crossbar_header + crossbar_flit) + (lts__t_sectors_op_read + lrc__requests_coalesced * line_sectors) * l2_sector",
     "and, where nothing but loads and stores is answered, no more than fills the last flits"),

    # --- L2 ---
    (TIMING, "lts__t_sectors_op_read_lookup_hit <= lts__t_sectors_op_read and lts__t_sectors_op_write_lookup_hit <= lts__t_sectors_op_write",
     "hits are lookups"),
    (TIMED, "queue_traffic or (asked[0] - lrc__requests_coalesced) * load_sectors + l2_grants * line_sectors <= lts__t_sectors_op_read <= (asked[0] + l2_grants) * line_sectors", "a load wants a sector of a line at least, all at most"),
    (TIMED, "queue_traffic or lts__t_sectors_op_read % load_sectors == 0", "the L1 asks for sectors of its own size"),
    (TIMED, "asked[1] + lts__d_copy_backs * line_sectors <= lts__t_sectors_op_write <= (asked[1] + lts__d_copy_backs) * line_sectors or queue_traffic", "a store writes a sector of a line at least"),
    (TIMED, "l1tex__m_packets_lock or sum((lts__t_atomics, l1tex__t_atomics, -control__atomics, -sync__atomic_lanes, -sync__lock_requests, -sync__lock_releases)) == 0 or atomic_combine",
     "each lane's operation, and each attempt of a lock instruction, is one at a slice, or in an L1"),
    (TIMING, "l1tex__m_packets_lock or lts__t_atomics + l1tex__t_atomics <= control__atomics + sync__atomic_lanes + sync__lock_requests + sync__lock_releases", "and nothing else is"),
    (TIMED, "asked[2] <= lts__t_atomics <= asked[2] * core_warp_size or l1tex__m_packets_lock", "a packet has an operation a lane at most"),
    (TIMING, "sync__atomic_same_address_conflicts <= lts__t_atomics", "of the operations some wait"),
    (TIMING, "sync__atomic_same_address_conflicts <= sync__atomic_same_address_cycles", "each a cycle at least"),
    (TIMING, "lts__t_sectors_fill <= lts__t_sectors_op_read - lts__t_sectors_op_read_lookup_hit + lts__t_atomics + lock_touches",
     "only what is missed is asked of DRAM, and never for stores"),

    # --- Coherent L1s and their directories ---
    (ANY, "directory or sum(owned) == 0", "only where there is one"),
    (TIMED, "l1tex__m_packets_share + l1tex__m_packets_own == l1tex__m_replies_grant", "each request for a line is granted"),
    (TIMING, "l1tex__m_packets_share + l1tex__m_packets_own >= l1tex__m_replies_grant", "and nothing else is"),
    (TIMING, "l1tex__m_packets_probed == l1tex__m_replies_probe", "each probe that comes is answered, at once"),
    (TIMED, "lts__d_probes == l1tex__m_replies_probe", "each that is sent comes"),
    (TIMING, "lts__d_probes >= l1tex__m_replies_probe >= l1tex__probe_hits", "and nothing else; some find no line any more"),
    (TIMED, "lts__d_forwards <= l1tex__probe_hits", "what is forwarded was found by a probe"),
    (TIMING, "lts__d_recalls <= lts__d_probes and (l1tex__t_lines_bulk or l1tex__m_packets_lock or sum(controls) or not lts__d_recalls)", "only for what goes past the L1s"),
    (TIMING, "lts__d_copy_backs <= l1tex__m_packets_evicted", "a changed line that was let go was let go"),
    (TIMED, "lts__d_upgrades <= l1tex__m_packets_own and l2_grants >= 0", "a grant has its data from one place"),
    (TIMED, "l1tex__m_packets_evicted <= l1tex__m_replies_grant", "a line that goes has come"),
    (TIMING, "l1tex__t_store_hits <= l1tex__t_store_lookups and l1tex__t_atomic_hits <= l1tex__t_atomic_lookups",
     "hits are lookups"),
    (TIMED, "l1tex__t_atomic_lookups <= l1tex__t_atomics <= l1tex__t_atomic_lookups * core_warp_size", "a line of an atomic has an operation a lane at most"),
    (TIMED, "not directory or (policy_lock in QUEUES or not packets[2] or lts__t_atomics == sync__atomic_lanes - l1tex__t_atomics) and l1tex__t_bypassed <= l1tex__t_lines_bulk", "all but copies and reductions in bulk goes through the L1"),

    # --- Lock queues ---
    (TIMING, "policy_lock in QUEUES or not (l1tex__m_packets_lock or l1tex__m_replies_lock or sum(queue))", "only where locks queue"),
    (TIMED, "policy_lock not in QUEUES or sync__lock_queue_requests == sync__lock_requests", "each lane's request reaches its queue once"),
    (TIMING, "sync__lock_queue_requests <= sync__lock_requests", "and nothing else does"),
    (TIMING, "sync__lock_queue_refusals + sync__lock_queue_timeouts <= sync__lock_queue_requests", "a request is answered once"),
    (TIMING, "sync__lock_queue_records_max <= sync__lock_queue_records <= sync__lock_queue_requests", "a request makes a record at most"),

    # --- The control processor ---
    (TIMING, "policy_control != 'none' or sum(controls) + control__cycles == 0", "where there is none, it does nothing"),
    (DONE, "sum(controls) == 0 or control__m_packets_atomic == control__atomics", "an atomic is a packet"),
    (TIMING, "control__load_hits <= control__loads", "a hit is a load"),
    (TIMING, "control__restarts <= control__yields <= control__yield_bytes", "only what has yielded is restarted, and its state is stored"),
    (TIMING, "control__dispatches <= control__groups", "a call that counts asks for a work-group at least"),
    (TIMING, "control__gpu_blocked <= control__gpu_cycles", "the cores are idle for a part of its time"),
    (DONE, "control__gpu_cycles <= cycles + 1", "which is a part of the launch's"),
    (TIMING, "control__wait_cycles <= control__cycles", "it waits while it runs"),

    # --- DRAM ---
    (TIMED, "bursts_least(lts__t_sectors_fill) <= dram__bursts_read", "sectors come whole"),
    (TIMING, "dram__bursts_read <= lts__t_sectors_fill * sector_bursts", "and only those asked for"),
    (TIMING, "dram__bursts_write <= lts__t_sectors_write_back * sector_bursts", "what is written was dirty"),
    (TIMING, "dram__row_hits + dram__row_misses == dram__bursts_read + dram__bursts_write", "a burst finds its row open, or does not"),
    (TIMING, "dram__cycles_active == (dram__bursts_read + dram__bursts_write) * dram_burst_cycles", "a burst takes the data bus for its length"),

    # --- Barriers, spinning, back-off ---
    (TIMING, "sync__barrier_arrivals or not sync__barrier_wait_cycles", "a warp that waits has come"),
    (ANY, "sync__spin_loops_found <= sync__spin_loops and sync__other_loops_found <= sync__other_loops", "found are some of those there are"),
    (ANY, "sync__spin_detection_cycles <= sync__spin_found_cycles and sync__other_detection_cycles <= sync__other_found_cycles",
     "a loop is found between its first turn and its last"),
    (ANY, "policy_spin != 'none' or sum(spins) == 0", "without a detector nothing is found"),
    (ANY, "policy_backoff != 'none' or sum(backs) == 0", "without a policy nothing is backed off"),
    (TIMING, "sync__backoff_issues <= sync__backoffs <= sync__spin_branches", "a warp is backed off by a branch that spins, and leaves that state by an issue"),
    (TIMING, "sync__backed_off_cycles <= sm__warps_active", "while it is resident"),
    (ANY, "policy_retry != 'none' or sync__lock_backoff_cycles == 0", "without a policy attempts follow each other at once"),

    # --- Energy: docs/energy.md, from counters and coefficients; lanes' work, which needs the instructions, has bounds ---
    (TIMING, "energy__issue == nj((smsp__inst_executed - smsp__inst_vanished) * energy_issue)", "each instruction that is issued costs that"),
    (TIMING, "energy__shared == nj((l1tex__shared_requests + l1tex__shared_bank_conflict_cycles) * energy_shared)", "the formula"),
    (TIMING, "energy__l1 == nj((l1tex__t_lookups + l1tex__local_requests) * energy_l1_read + (l1tex__t_lines_store * energy_l1_write if l1_global else 0)"
     " + l1tex__t_atomic_lookups * (energy_l1_read + energy_l1_write))", "the formula"),
    (TIMING, "energy__l2 == nj(((lts__t_sectors_op_read + lts__t_atomics) * l2_sector + dram__bursts_write * dram_burst_bytes) * energy_l2_read"
     " + (lts__t_sectors_op_write + lts__t_atomics) * l2_sector * energy_l2_write)", "the formula"),
    (TIMING, "energy__crossbar == nj((l1tex__m_flits + control__m_flits + lts__m_flits) * crossbar_flit * energy_crossbar)", "the formula"),
    (TIMING, "energy__dram == nj(dram_burst_bytes * (dram__bursts_read * energy_dram_read + dram__bursts_write * energy_dram_write)"
     " + dram__row_misses * energy_dram_activate, 1000)", "the formula"),
    (TIMING, "energy__core_static == nj(energy_core_static * core_count * cycles * 10**9 // clock_core, 1000)", "milliwatts of each core, for the launch's time"),
    (TIMING, "energy__chip_static == nj(energy_chip_static * cycles * 10**9 // clock_core, 1000)", "likewise of the rest"),
    (TIMING, "energy__total == sum(energies)", "of the rounded components"),
    (TIMING, "energy__matrix == 0 or sm__inst_executed_pipe_tensor", "lanes of a class cost only where there are instructions of it"),
    (TIMING, "energy__double == 0 or sm__inst_executed_fp64", "likewise"),
    (TIMING, "energy__special == 0 or sm__inst_executed_xu", "likewise"),
    (TIMING, "energy__float == 0 or sm__inst_executed_fp32", "likewise"),
    (TIMING, "energy__integer <= nj(sm__inst_executed_alu * core_warp_size * max(energy_int_add, energy_int_mul))", "no more than all lanes at the dearest"),

    # --- Functional mode has no time and no memory system ---
    (FUNCTIONAL, "cycles == 0 and sum(stalls) + smsp__inst_vanished + smsp__issue_active + sm__cycles_active + sm__warps_active + sum(energies) == 0", "no time passes"),
    (FUNCTIONAL, "sum(packets) + sum(replies) + l1tex__t_lookups + lts__m_packets + lts__t_atomics + dram__bursts_read == 0", "memory is one, and at once"),
]

GROUPS = {  # of counters, in their order
    "classes": "sm__inst_executed_{}.sum", "of classes": "alu fp32 fp64 xu shuffle pipe_tensor cbu load store atomic fence barrier",
    "stalls": "smsp__issue_stalled_{}.sum", "of stalls": "unit wait no_inst long_sb membar barrier lock sleeping short_sb no_warp",
    "packets": "l1tex__m_packets_{}.sum", "of packets": "load store atomic lock share own evicted probed",
    "replies": "l1tex__m_replies_{}.sum", "of replies": "load store atomic lock grant probe",
    "owned": "l1tex__{}.sum", "of owned": "m_packets_share m_packets_own m_packets_evicted m_packets_probed m_replies_grant m_replies_probe "
    "t_store_lookups t_atomic_lookups t_atomics",
    "queue": "sync__lock_queue_{}.sum", "of queue": "requests refusals timeouts records wait_cycles",
    "controls": "control__m_packets_{}.sum", "of controls": "load store atomic",
    "spins": "sync__{}.sum", "of spins": "spin_branches spin_loops spin_loops_found other_loops other_loops_found spin_detection_cycles spin_found_cycles",
    "backs": "sync__{}.sum", "of backs": "backoffs backoff_issues backed_off_cycles backoff_limit backoff_cores",
    "energies": "energy__{}.sum",
    "of energies": "issue integer float double special matrix other registers shared constant l1 l2 crossbar dram core_static chip_static",
}


def product(numbers):
    x, y, z = numbers
    return x * y * z


def up(a, b):
    return -(-a // b)


def facts(report, launch):
    """All names of the rows above."""
    c = launch["counters"]
    f = {name.removesuffix(".sum").replace(".", "_"): value for name, value in c.items()}
    f |= {name.replace(".", "_"): value for name, value in report["configuration"].items()}
    f |= {name: [c[pattern.format(word)] for word in GROUPS["of " + name].split()] for name, pattern in GROUPS.items() if not name.startswith("of ")}
    g = f
    f |= {
        "cycles": launch["cycles"], "warp_instructions": launch["warp_instructions"],
        "thread_instructions": launch["thread_instructions"], "groups": c["control__groups.sum"] or product(launch["grid"]) * (not c["control__inst_executed.sum"]), "threads": product(launch["block"]),
        "stopped": launch["outcome"] == "fault",
        "issue_at_most": g["core_issue"] - 1,
        "quantum": min(g["crossbar_request_latency"], g["crossbar_reply_latency"]),
        "scheduler_cycles": c["smsp__issue_active.sum"] + sum(f["stalls"]),
        "accesses": sum(c[f"sm__inst_executed_{k}.sum"] for k in ("load", "store", "atomic", "barrier")),
        # An access of 16 bytes is aligned, so in one line; a fetch filters up to 8 texels; a fragment has 64 lines at most.
        "lines_most": max(64, 8 * g["core_warp_size"]),
        "header_flits": up(g["crossbar_header"], g["crossbar_flit"]),
        "flits": lambda data: up(g["crossbar_header"] + data, g["crossbar_flit"]),
        "load_sectors": g["line_sector"] // g["l2_sector"], "line_sectors": g["line_bytes"] // g["l2_sector"],
        "sector_bursts": up(g["l2_sector"], g["dram_burst_bytes"]),
        # A burst has sectors of one line.
        "bursts_least": lambda sectors: up(sectors * g["l2_sector"], min(g["dram_burst_bytes"], g["line_bytes"])),
        "lock_touches": 2 * (c["sync__lock_requests.sum"] + c["sync__lock_releases.sum"]) if g["policy_lock"] in QUEUES else 0,
        "nj": lambda femtojoules, scale=g["energy_scale"]: (femtojoules * scale + 5 * 10**8) // 10**9,
        "QUEUES": QUEUES,
        "directory": g["policy_coherence"] in DIRECTORIES,
        "l2_grants": c["l1tex__m_replies_grant.sum"] - c["lts__d_forwards.sum"] - c["lts__d_upgrades.sum"],
    }
    f["asked"] = [a + b for a, b in zip(f["packets"], f["controls"] + [0] * (len(f["packets"]) - 3))]
    f["group_warps"] = up(f["threads"], g["core_warp_size"])
    f["resident_warps"] = launch["occupancy"]["groups_per_core"] * f["group_warps"]
    return f


QUEUES = ("queue",)          # policies of locks that queue
DIRECTORIES = ("moesi",)     # of coherence
CODE = [(when, compile(text, "invariant", "eval"), text, why) for when, text, why in INVARIANTS]


def broken(report):
    """What does not hold in a report, a line each."""
    found = []
    for launch in report["launches"]:
        if "number" in launch:  # it has launched others, or was launched so: counters but the instructions' include what those did
            continue
        timing, completed = report["configuration"]["run.mode"] == "timing", launch["outcome"] == "completed"
        held = {ANY: True, DONE: completed, TIMING: timing, TIMED: timing and completed, FUNCTIONAL: not timing}
        scope = facts(report, launch)
        for when, code, text, why in CODE:
            if held[when] and not eval(code, {"__builtins__": {"sum": sum, "all": all, "zip": zip, "max": max}}, scope):
                values = " ".join(f"{n}={scope[n]}" for n in code.co_names if n in scope and not callable(scope[n]))
                found.append(f"invariant: {text}: {why}; {values}")
    return found


def main():
    wrong = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for line in broken(json.load(file)):
                print(f"{path}: {line}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
