-- The program prints "discovered: N work-groups"; a run that was stopped as a hang prints none, and is in the table with its outcome.
CREATE VIEW discovered AS
SELECT e.gpu, e.policy, e.variation, e.seed, p.outcome,
       CASE WHEN instr(p.output, 'discovered: ') THEN CAST(substr(p.output, instr(p.output, 'discovered: ') + 12) AS INTEGER) END AS found
FROM entries e JOIN points p USING (point) WHERE p.program = 'discover';

CREATE VIEW table_3 AS
SELECT gpu, substr(variation, 5) AS mutex, seed,
       coalesce(max(found) FILTER (WHERE variation LIKE '11,%'), max(outcome) FILTER (WHERE variation LIKE '11,%')) || ' ' || coalesce(max(found) FILTER (WHERE variation LIKE 'L1,%'), max(outcome) FILTER (WHERE variation LIKE 'L1,%')) || ' ' ||
       coalesce(max(found) FILTER (WHERE variation LIKE '1W,%'), max(outcome) FILTER (WHERE variation LIKE '1W,%')) || ' ' || coalesce(max(found) FILTER (WHERE variation LIKE 'LW,%'), max(outcome) FILTER (WHERE variation LIKE 'LW,%')) AS numbers
FROM discovered WHERE policy = 'chip' GROUP BY gpu, substr(variation, 5), seed;

-- The program prints "one barrier: N ns"; where the groups are not resident together the launch hangs.
CREATE VIEW cost AS
SELECT e.gpu, substr(e.variation, 1, instr(e.variation, ',') - 1) AS barrier, CAST(substr(e.variation, instr(e.variation, ',') + 2) AS INTEGER) AS groups,
       CASE WHEN instr(p.output, 'one barrier: ') THEN CAST(substr(p.output, instr(p.output, 'one barrier: ') + 13) AS REAL) END AS ns
FROM entries e JOIN points p USING (point) WHERE p.program = 'barriers';

-- Table 3 of the paper: the occupancy bound, and what was discovered with the spin lock.
CREATE VIEW paper_spin(number, gpu, place, benchmark, bound, paper) AS VALUES (0, 'gtx980', 0, '11', 512, 24.9), (0, 'gtx980', 1, 'L1', 32, 4.0), (0, 'gtx980', 2, '1W', 32, 3.3), (0, 'gtx980', 3, 'LW', 32, 3.1), (1, 'quadro-k5200', 0, '11', 192, 10.1), (1, 'quadro-k5200', 1, 'L1', 12, 1.1), (1, 'quadro-k5200', 2, '1W', 24, 3.7), (1, 'quadro-k5200', 3, 'LW', 12, 2.3), (2, 'iris-6100', 0, '11', 96, 12.4), (2, 'iris-6100', 1, 'L1', 6, 3.8), (2, 'iris-6100', 2, '1W', 41, 8.2), (2, 'iris-6100', 3, 'LW', 6, 3.5), (3, 'hd-5500', 0, '11', 48, 8.1), (3, 'hd-5500', 1, 'L1', 3, 2.9), (3, 'hd-5500', 2, '1W', 21, 7.2), (3, 'hd-5500', 3, 'LW', 3, 2.7), (4, 'radeon-r9', 0, '11', 896, 39.9), (4, 'radeon-r9', 1, 'L1', 48, 7.3), (4, 'radeon-r9', 2, '1W', 224, 19.4), (4, 'radeon-r9', 3, 'LW', 48, 7.7), (5, 'radeon-r7', 0, '11', 256, 20.0), (5, 'radeon-r7', 1, 'L1', 16, 3.1), (5, 'radeon-r7', 2, '1W', 64, 9.2), (5, 'radeon-r7', 3, 'LW', 16, 4.6), (6, 'mali-t628-4', 0, '11', 256, 19.6), (6, 'mali-t628-4', 1, 'L1', 256, 18.3), (6, 'mali-t628-4', 2, '1W', 4, 3.2), (6, 'mali-t628-4', 3, 'LW', 4, 3.1), (7, 'mali-t628-2', 0, '11', 128, 11.2), (7, 'mali-t628-2', 1, 'L1', 128, 9.5), (7, 'mali-t628-2', 2, '1W', 2, 2.0), (7, 'mali-t628-2', 3, 'LW', 2, 2.0);

CREATE VIEW recall AS
SELECT p.number, p.gpu, p.place, p.benchmark, p.bound, p.paper, substr(d.variation, 5) AS mutex, d.seed, d.found
FROM discovered d JOIN paper_spin p ON p.gpu = d.gpu AND p.benchmark = substr(d.variation, 1, 2) WHERE d.policy = 'chip' AND d.variation NOT LIKE 'time%' AND d.found IS NOT NULL;

-- Milliseconds of the one launch of a point.
CREATE VIEW discovery_time AS
SELECT gpu, seed, max(ms) FILTER (WHERE variation = 'time, ticket') AS ticket, max(ms) FILTER (WHERE variation = 'time, spin') AS spin
FROM (SELECT r.gpu, r.seed, r.variation, 1.0 * r.cycles / (p.configuration ->> '$."clock.core"') AS ms FROM runs r JOIN points p USING (point) WHERE r.variation LIKE 'time,%')
GROUP BY gpu, seed;

-- Figure 8: the same by size of a group.  The bound is what the ticket lock finds, as in the paper's script.
CREATE VIEW by_size AS
WITH t AS (SELECT gpu, seed, CASE WHEN variation LIKE 'time%' THEN 1 ELSE CAST(x AS INTEGER) END AS threads, CASE WHEN variation LIKE '%ticket' THEN 'ticket' ELSE 'spin' END AS mutex,
                  1.0 * r.cycles / (p.configuration ->> '$."clock.core"') AS ms, p.output
           FROM (SELECT gpu, seed, variation, x, point, cycles FROM runs WHERE variation LIKE 'time,%' OR variation LIKE 'size %') r JOIN points p USING (point, gpu, seed))
SELECT t.gpu, t.seed, t.threads, t.mutex, t.ms, CAST(substr(f.output, instr(f.output, 'discovered: ') + 12) AS INTEGER) AS bound
FROM t JOIN t f USING (gpu, seed, threads) WHERE f.mutex = 'ticket';

-- Table 4, left.  The paper's rows R7 and R9 are exchanged here: by its text R9 always gains, R7 has three gains and three losses, one of
-- them circ under color, and R9's mean slowdown of Lonestar is 1.71, which is that of the row called R7.
CREATE VIEW table_4 AS
WITH t(gpu, benchmark, speed_up) AS (VALUES
       ('gtx980', 'bc 128k', 1.10), ('gtx980', 'bc 1M', 1.02), ('gtx980', 'color eco', 1.07), ('gtx980', 'color circ', 1.02), ('gtx980', 'mis eco', 1.05), ('gtx980', 'mis circ', 0.97), ('gtx980', 'sssp usa', 0.99),
       ('quadro-k5200', 'bc 128k', 1.02), ('quadro-k5200', 'bc 1M', 0.98), ('quadro-k5200', 'color eco', 1.04), ('quadro-k5200', 'color circ', 0.85), ('quadro-k5200', 'mis eco', 1.02), ('quadro-k5200', 'mis circ', 0.93), ('quadro-k5200', 'sssp usa', 0.92),
       ('iris-6100', 'bc 128k', 2.13), ('iris-6100', 'bc 1M', 1.31), ('iris-6100', 'color eco', 1.26), ('iris-6100', 'color circ', 1.15), ('iris-6100', 'mis eco', 1.41), ('iris-6100', 'mis circ', 1.28), ('iris-6100', 'sssp usa', 1.20),
       ('hd-5500', 'bc 128k', 1.66), ('hd-5500', 'bc 1M', 1.22), ('hd-5500', 'color eco', 1.22), ('hd-5500', 'color circ', 1.13), ('hd-5500', 'mis eco', 1.29), ('hd-5500', 'mis circ', 1.15), ('hd-5500', 'sssp usa', 1.34),
       ('radeon-r9', 'bc 128k', 1.62), ('radeon-r9', 'bc 1M', 1.16), ('radeon-r9', 'color eco', 1.68), ('radeon-r9', 'color circ', 1.08), ('radeon-r9', 'mis eco', 1.40), ('radeon-r9', 'mis circ', 1.20), ('radeon-r9', 'sssp usa', 1.05),
       ('radeon-r7', 'bc 128k', 1.51), ('radeon-r7', 'bc 1M', 1.16), ('radeon-r7', 'color eco', 1.13), ('radeon-r7', 'color circ', 0.55), ('radeon-r7', 'mis eco', 0.99), ('radeon-r7', 'mis circ', 0.92), ('radeon-r7', 'sssp usa', 0.85),
       ('mali-t628-4', 'bc 128k', 2.34), ('mali-t628-4', 'bc 1M', 1.12), ('mali-t628-4', 'color eco', 0.65), ('mali-t628-4', 'color circ', 0.51), ('mali-t628-4', 'mis eco', 0.38), ('mali-t628-4', 'mis circ', 0.30), ('mali-t628-4', 'sssp usa', 0.22),
       ('mali-t628-2', 'bc 128k', 1.78), ('mali-t628-2', 'bc 1M', 1.02), ('mali-t628-2', 'color eco', 0.63), ('mali-t628-2', 'color circ', 0.57), ('mali-t628-2', 'mis eco', 0.51), ('mali-t628-2', 'mis circ', 0.43), ('mali-t628-2', 'sssp usa', 0.33))
SELECT * FROM t;

-- From a launch into an empty queue to its start, as clpeak's collection of results has it (github.com/krrishnarraj/clpeak, results/old/):
-- of the chip, or of one of the same kind.
CREATE VIEW launch_times AS
WITH t(gpu, ns, measured_on) AS (VALUES
       ('gtx980', 3690, 'GTX 980, 343.19'), ('quadro-k5200', 9270, 'Tesla K40c, GK110B too, 355.11'),
       ('iris-6100', 36650, 'Iris of 40 units, Gen7.5, Apple 2016'), ('hd-5500', 34170, 'HD 530, Gen9, 20.47.18513'),
       ('radeon-r9', 63500, 'R9 380X, Tonga too, 1912.5'), ('radeon-r7', 33790, 'A10-7850K, 1573.4'),
       ('mali-t628-4', 233300, 'T628, 4 cores, OpenCL 1.2'), ('mali-t628-2', 206340, 'T628, 2 cores, OpenCL 1.2'))
SELECT * FROM t;

-- The program prints "time: N ns, L launches, R reads".  A launch of the model takes launch_ns before it starts, a read copy_ns.
CREATE VIEW step_runs AS
SELECT e.gpu, e.policy, e.seed, p.size, p.program || ' ' || substr(e.variation, 1, instr(e.variation, ',') - 1) AS benchmark,
       substr(e.variation, instr(e.variation, ',') + 2) AS form,
       CAST(substr(p.output, instr(p.output, 'time: ') + 6) AS REAL) AS ns, CAST(substr(p.output, instr(p.output, ' ns, ') + 5) AS INTEGER) AS launches,
       CAST(substr(p.output, instr(p.output, ' launches, ') + 11) AS INTEGER) AS reads,
       1e6 * (p.configuration ->> '$."dispatch.launch_latency"') / (p.configuration ->> '$."clock.core"') AS launch_ns,
       (p.configuration ->> '$."copy.latency"') + 4e3 / (p.configuration ->> '$."copy.bandwidth"') AS copy_ns
FROM entries e JOIN points p USING (point) WHERE p.program IN ('bc', 'color', 'mis', 'sssp') AND instr(p.output, 'time: ');

-- device: launches and reads take no time (as under the policy "no host", but for rounding).  least, most: with a measured launch for each
-- wait of the host, which is each read or the end, or for each launch, in place of the model's.
CREATE VIEW speed_ups AS
SELECT m.gpu, m.policy, m.seed, m.size, m.benchmark, m.ns / o.ns AS model,
       (m.ns - m.launches * m.launch_ns - m.reads * m.copy_ns) / (o.ns - o.launches * o.launch_ns) AS device,
       (m.ns - m.launches * m.launch_ns + max(m.reads, 1) * t.ns) / (o.ns - o.launches * o.launch_ns + t.ns) AS least,
       (m.ns + m.launches * (t.ns - m.launch_ns)) / (o.ns + o.launches * (t.ns - o.launch_ns)) AS most
FROM step_runs m JOIN step_runs o USING (gpu, policy, seed, benchmark) JOIN launch_times t USING (gpu) WHERE m.form = 'multi' AND o.form = 'portable';

-- Table 4, right; sssp is Lonestar's.  The rows R7 and R9 are exchanged, as in table_4.
CREATE VIEW table_4_right AS
WITH t(gpu, program, slowdown) AS (VALUES
       ('gtx980', 'bfs-2e23', 1.38), ('gtx980', 'bfs-rmat22', 1.29), ('gtx980', 'mst-2e20', 1.34), ('gtx980', 'mst-usa', 1.80), ('gtx980', 'lonestar-sssp-2e23', 1.09), ('gtx980', 'lonestar-sssp-rmat22', 1.10),
       ('quadro-k5200', 'bfs-2e23', 1.30), ('quadro-k5200', 'bfs-rmat22', 1.43), ('quadro-k5200', 'mst-2e20', 1.29), ('quadro-k5200', 'mst-usa', 1.54), ('quadro-k5200', 'lonestar-sssp-2e23', 1.08), ('quadro-k5200', 'lonestar-sssp-rmat22', 1.14),
       ('iris-6100', 'bfs-2e23', 1.08), ('iris-6100', 'bfs-rmat22', 1.11), ('iris-6100', 'mst-2e20', 1.05), ('iris-6100', 'mst-usa', 1.06), ('iris-6100', 'lonestar-sssp-2e23', 1.03), ('iris-6100', 'lonestar-sssp-rmat22', 1.00),
       ('hd-5500', 'bfs-2e23', 1.09), ('hd-5500', 'bfs-rmat22', 1.11), ('hd-5500', 'mst-2e20', 1.03), ('hd-5500', 'mst-usa', 1.05), ('hd-5500', 'lonestar-sssp-2e23', 1.03), ('hd-5500', 'lonestar-sssp-rmat22', 1.04),
       ('radeon-r9', 'bfs-2e23', 2.53), ('radeon-r9', 'bfs-rmat22', 2.09), ('radeon-r9', 'mst-2e20', 1.43), ('radeon-r9', 'mst-usa', 2.01), ('radeon-r9', 'lonestar-sssp-2e23', 1.40), ('radeon-r9', 'lonestar-sssp-rmat22', 1.17),
       ('radeon-r7', 'bfs-2e23', 1.41), ('radeon-r7', 'bfs-rmat22', 1.34), ('radeon-r7', 'mst-2e20', 1.05), ('radeon-r7', 'mst-usa', 1.35), ('radeon-r7', 'lonestar-sssp-2e23', 0.93), ('radeon-r7', 'lonestar-sssp-rmat22', 1.00),
       ('mali-t628-4', 'bfs-2e23', 0.78), ('mali-t628-4', 'bfs-rmat22', 0.76), ('mali-t628-4', 'mst-2e20', 1.05), ('mali-t628-4', 'mst-usa', 1.09), ('mali-t628-4', 'lonestar-sssp-2e23', 0.77), ('mali-t628-4', 'lonestar-sssp-rmat22', 0.61),
       ('mali-t628-2', 'bfs-2e23', 0.75), ('mali-t628-2', 'bfs-rmat22', 0.66), ('mali-t628-2', 'mst-2e20', 1.04), ('mali-t628-2', 'mst-usa', 1.05), ('mali-t628-2', 'lonestar-sssp-2e23', 0.65), ('mali-t628-2', 'lonestar-sssp-rmat22', 0.59))
SELECT * FROM t;

-- Lonestar's programs print "work-groups: N of M" and "kernel: T ns"; a launch that hangs prints neither.
CREATE VIEW persistent_runs AS
SELECT gpu, seed, program, outcome, substr(variation, 1, instr(variation, ',') - 1) AS form, substr(variation, instr(variation, ',') + 2) AS size,
       CAST(substr(tail, instr(tail, 'kernel: ') + 8) AS REAL) AS ns, CAST(tail AS INTEGER) AS taking, CAST(substr(tail, instr(tail, ' of ') + 4) AS INTEGER) AS launched
FROM (SELECT e.gpu, e.seed, e.variation, p.program, p.outcome, substr(p.output, instr(p.output, 'work-groups: ') + 13) AS tail FROM entries e JOIN points p USING (point)
      WHERE p.program IN (SELECT program FROM table_4_right) OR p.program IN ('dmr', 'bfs-by-size'));

-- exact: the portable form with no group more than fits.
CREATE VIEW slowdowns AS
SELECT t.gpu, t.seed, t.program, t.ns AS trust, f.ns AS found, x.ns AS exact, f.ns / t.ns AS slowdown, f.taking, t.launched AS trusted, f.launched
FROM persistent_runs t JOIN persistent_runs f USING (gpu, seed, program, size) LEFT JOIN persistent_runs x ON x.gpu = t.gpu AND x.seed = t.seed AND x.program = t.program AND x.size = t.size AND x.form = 'exact'
WHERE t.form = 'trust' AND f.form = 'found' AND t.program <> 'bfs-by-size';

CREATE VIEW sizes AS
SELECT t.seed, CAST(t.size AS INTEGER) AS vertices, t.ns AS trust, f.ns AS found, f.ns / t.ns AS slowdown
FROM persistent_runs t JOIN persistent_runs f USING (gpu, seed, program, size) WHERE t.form = 'trust' AND f.form = 'found' AND t.program = 'bfs-by-size';
