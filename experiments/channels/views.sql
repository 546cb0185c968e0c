-- The four programs with the channels of the paper: what a benchmark took in all its launches.
CREATE VIEW plain AS
SELECT benchmark, gpu, policy, seed, cycles, launches FROM runs WHERE variation IN ('', 'efficient');

-- What a program prints of its graph.
CREATE VIEW said AS
SELECT r.benchmark, r.policy, r.variation, r.x, r.seed, r.cycles,
       CAST(substr(p.output, instr(p.output, 'launches: ') + 10) AS INTEGER) AS launches,
       CAST(substr(p.output, instr(p.output, 'warps: ') + 7) AS INTEGER) AS warps,
       CAST(substr(p.output, instr(p.output, 'elements of a channel: ') + 23) AS INTEGER) AS most,
       CAST(r.x AS INTEGER) AS width
FROM runs r JOIN points p USING (point) WHERE instr(p.output, 'elements of a channel: ') > 0;

-- Figure 15.
CREATE VIEW scaling AS
SELECT replace(a.benchmark, ', firmware', '') AS benchmark, a.seed, CAST(b.policy AS INTEGER) AS units, 1.0 * a.cycles / b.cycles AS speed
FROM plain a JOIN plain b USING (benchmark, gpu, seed) WHERE a.policy = '1 unit' AND a.benchmark IN ('fibonacci, firmware', 'queens, firmware', 'sort, firmware', 'strassen, firmware') AND b.policy LIKE '% unit%' AND b.policy NOT LIKE '%,%';

-- The same, scheduled by the host.
CREATE VIEW scaling_host AS
SELECT a.benchmark, a.seed, CAST(b.policy AS INTEGER) AS units, 1.0 * a.cycles / b.cycles AS speed
FROM plain a JOIN plain b USING (benchmark, gpu, seed) WHERE a.policy = '1 unit' AND a.benchmark IN ('fibonacci', 'queens', 'sort', 'strassen') AND b.policy LIKE '% unit%' AND b.policy NOT LIKE '%,%';

-- Figure 17: over the efficient channel.  swaps: of work-items; those of firmware are not among them.
CREATE VIEW variants AS
SELECT replace(v.benchmark, ', firmware', '') AS benchmark, v.policy, v.variation, v.seed, 1.0 * v.cycles / e.cycles AS time, 1.0 * v.[sync__swaps_success.sum] / e.[sync__swaps_success.sum] AS swaps
FROM runs v JOIN runs e USING (benchmark, gpu, policy, seed) WHERE v.variation IN ('baseline', 'padded') AND e.variation = 'efficient';

-- Figure 16.
CREATE VIEW caches AS
SELECT replace(benchmark, ', firmware', '') AS benchmark, policy, seed, 1.0 * [l1tex__t_hits.sum] / [l1tex__t_lookups.sum] AS l1, 1.0 * [lts__t_sectors_op_read_lookup_hit.sum] / [lts__t_sectors_op_read.sum] AS l2
FROM runs WHERE variation IN ('', 'efficient') AND benchmark IN ('fibonacci, firmware', 'queens, firmware', 'sort, firmware', 'strassen, firmware');

CREATE VIEW paper_3(benchmark, wavefronts, cycles) AS VALUES ('fibonacci', 2192, 7046), ('queens', 1114, 35407), ('sort', 4238, 30673), ('strassen', 587, 259299);

-- Table 5, and what firmware does meanwhile.
CREATE VIEW blocking AS
SELECT replace(benchmark, ', firmware', '') AS benchmark, policy, variation, seed, cycles, [control__gpu_blocked.sum] AS cycles_blocked,
       100.0 * [control__gpu_blocked.sum] / [control__gpu_cycles.sum] AS blocked,
       100.0 - 100.0 * [sm__cycles_active.sum] / [control__gpu_cycles.sum] / 8 AS units_idle,
       100.0 * [control__part1_blocked.sum] / [control__gpu_blocked.sum] AS frees, 100.0 * [control__part2_blocked.sum] / [control__gpu_blocked.sum] AS yields,
       [control__turns.sum] AS turns, 1.0 * [control__inst_executed.sum] / [control__turns.sum] AS turn_instructions, 1.0 * [control__cycles.sum] / [control__turns.sum] AS turn_cycles,
       100.0 * [control__part1_cycles.sum] / [control__cycles.sum] AS freeing, 100.0 * [control__part2_cycles.sum] / [control__cycles.sum] AS yielding
FROM runs WHERE benchmark LIKE '%, firmware' AND [control__gpu_cycles.sum] > 0;

CREATE VIEW paper_5(benchmark, policy, blocked) AS VALUES
  ('fibonacci', 'simple', 41.5), ('queens', 'simple', 2.9), ('sort', 'simple', 8.9), ('strassen', 'simple', 3.4),
  ('fibonacci', 'light-ooo-2', 35.1), ('queens', 'light-ooo-2', 2.0), ('sort', 'light-ooo-2', 7.2), ('strassen', 'light-ooo-2', 2.5),
  ('fibonacci', 'ooo-2', 30.1), ('queens', 'ooo-2', 1.6), ('sort', 'ooo-2', 5.8), ('strassen', 'ooo-2', 1.8),
  ('fibonacci', 'ooo-4', 29.8), ('queens', 'ooo-4', 1.5), ('sort', 'ooo-4', 5.6), ('strassen', 'ooo-4', 1.9);

-- Channels, a queue, launches: the same tasks in several ways.  ns: what the program prints first.  The view `runs` would be asked for too often.
CREATE VIEW ways_said AS
SELECT p.program, CASE WHEN instr(p.program, ',') THEN substr(p.program, 1, instr(p.program, ',') - 1) ELSE p.program END AS benchmark, e.policy, e.variation,
       CASE WHEN p.program LIKE '%, firmware' THEN 1 WHEN p.program LIKE '%, queue' THEN 3 WHEN p.program LIKE '%, launches' THEN 4 ELSE 2 END AS place,
       (SELECT sum(l.launches) FROM launches l WHERE l.point = e.point) AS launches, CAST(p.output AS INTEGER) AS ns, p.output
FROM entries e JOIN points p USING (point) WHERE e."set" LIKE 'ways: %' AND p.outcome = 'passed';

CREATE VIEW ways AS
WITH said AS MATERIALIZED (SELECT *, CASE WHEN instr(output, 'warps: ') THEN CAST(substr(output, instr(output, 'warps: ') + 7) AS INTEGER) ELSE launches END AS warps FROM ways_said)
SELECT m.benchmark, CASE m.place WHEN 1 THEN 'channels, firmware' WHEN 2 THEN 'channels, host' WHEN 3 THEN 'queue' || CASE m.variation WHEN '' THEN '' ELSE ', ' || m.variation END ELSE 'launches, ' || m.variation END AS way,
       m.place, m.policy, m.variation, m.ns, CASE WHEN m.place = 1 THEN m.warps ELSE m.launches END AS launches, m.warps,
       CAST(substr(f.output, instr(f.output, 'tasks: ') + 7) AS INTEGER) AS tasks, 1.0 * f.ns AS firmware,
       CASE WHEN instr(m.output, 'elements') THEN CAST(substr(m.output, instr(m.output, 'channel: ') + 9) AS INTEGER) || ' elements'
            WHEN instr(m.output, 'slots: ') THEN CAST(substr(m.output, instr(m.output, 'slots: ') + 7) AS INTEGER) || ' tasks, ' || CAST(substr(m.output, instr(m.output, 'frames: ') + 8) AS INTEGER) || ' frames'
            ELSE CAST(substr(m.output, instr(m.output, 'frames: ') + 8) AS INTEGER) || ' words' END AS held
FROM said m JOIN said f ON f.benchmark = m.benchmark AND f.place = 1 AND f.policy = 'write-through 8';

-- Over channels by firmware on 1 unit; lines of the picture.
CREATE VIEW ways_scaling AS
WITH said AS MATERIALIZED (SELECT * FROM ways_said)
SELECT w.benchmark, CAST(substr(w.policy, 15) AS INTEGER) AS units,
       CASE w.place WHEN 1 THEN 'firmware' WHEN 2 THEN 'host' WHEN 3 THEN 'queue' ELSE CASE WHEN w.policy LIKE '%128 kernels' THEN 'launches,128' ELSE 'launches,8' END END AS way,
       w.place, 1.0 * w.ns / f.ns AS time
FROM said w JOIN said f ON f.benchmark = w.benchmark AND f.place = 1 AND f.policy = 'write-through 1'
WHERE w.variation IN ('', 'efficient', 'together') AND (w.policy LIKE 'write-through _' OR w.policy LIKE 'write-through _, 128 kernels');
