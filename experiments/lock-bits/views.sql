-- The validation kernel: the program prints "reduction phase: N cycles", "shared memory: N bytes" and "lock bits: N".
CREATE VIEW phases AS
SELECT r.policy, r.variation AS scheme, r.seed,
       CAST(substr(p.output, instr(p.output, 'reduction phase: ') + 17) AS INTEGER) AS cycles,
       CAST(substr(p.output, instr(p.output, 'shared memory: ') + 15) AS INTEGER) AS bytes,
       CAST(substr(p.output, instr(p.output, 'lock bits: ') + 11) AS INTEGER) AS bits
FROM runs r JOIN points p USING (point) WHERE r.benchmark = 'validation';

CREATE VIEW schemes AS
SELECT s.policy, s.scheme, s.seed, s.cycles, s.bytes, s.bits, 1.0 * a.cycles / s.cycles AS speed,
       instr('atom_lock warp_barr shrd_lock tiny_lock warp_vote', s.scheme) AS number
FROM phases s JOIN phases a USING (policy, seed) WHERE a.scheme = 'atom_lock';

-- Whether a run of pitfalls ends, and what it finds.
CREATE VIEW verdicts AS
SELECT e.variation AS name, CASE p.outcome WHEN 'hang' THEN 'deadlock' WHEN 'passed' THEN 'completes' ELSE p.outcome END AS verdict,
       CAST(substr(p.output, instr(p.output, 'words with one lock bit: ') + 25) AS INTEGER) AS stride
FROM entries e JOIN points p USING (point) WHERE p.program = 'pitfalls';

-- Needleman-Wunsch in microseconds of the model's clock: the longest launch, and all.
CREATE VIEW times AS
SELECT r.gpu, r.policy, r.variation, CAST(r.x AS INTEGER) AS grid, r.seed,
       1000.0 * max(l.cycles) / (p.configuration ->> '$."clock.core"') AS longest, 1000.0 * sum(l.cycles) / (p.configuration ->> '$."clock.core"') AS whole
FROM runs r JOIN points p USING (point) JOIN launches l USING (point) WHERE r.benchmark = 'needle' GROUP BY r.gpu, r.policy, r.variation, r.seed;

CREATE VIEW table_3 AS
SELECT policy, substr(variation, 1, instr(variation, ',') - 1) AS form, grid, seed, longest, whole FROM times WHERE gpu = 'gtx570' AND variation NOT LIKE 'tiles%';

CREATE VIEW paper_3(grid, form, microseconds) AS VALUES
	(31, 'atomic', 175), (62, 'atomic', 466), (124, 'atomic', 1050), (248, 'atomic', 2285), (496, 'atomic', 5052), (992, 'atomic', 14757), (1984, 'atomic', 48808), (31, 'data', 57), (62, 'data', 58), (124, 'data', 58), (248, 'data', 59), (496, 'data', 72), (992, 'data', 79), (1984, 'data', 80), (31, 'tiny', 49), (62, 'tiny', 49), (124, 'tiny', 50), (248, 'tiny', 51), (496, 'tiny', 79), (992, 'tiny', 109), (1984, 'tiny', 165);

-- Tiny locks over the data-parallel form, all launches, on GPUs with more lock bits and threads; one seed, as none differs.
CREATE VIEW machines(gpu, tiny, data, machine) AS VALUES
	('gtx570', 'gto', 'gto', 'gtx570: 1,024 bits, 1,536 threads'), ('gtx570', '2048 bits, 2048 threads', '2048 threads', 'gtx570: 2,048 bits and threads'),
	('gtx980', '1024 bits', 'gto', 'gtx980: 1,024 bits'), ('gtx980', '2048 bits', 'gto', 'gtx980: 2,048 bits'),
	('gtx1080ti', '2048 bits', 'gto', 'gtx1080ti: 2,048 bits'),
	('v100', '1024 bits', 'gto', 'v100: 1,024 bits'), ('v100', '2048 bits', 'gto', 'v100: 2,048 bits');

CREATE VIEW overtakes AS
SELECT t.grid, m.machine, t.whole / d.whole AS whole, t.longest / d.longest AS longest
FROM machines m JOIN times t ON t.gpu = m.gpu AND t.policy = m.tiny AND t.variation LIKE 'tiny%' AND t.seed = 1
     JOIN times d ON d.gpu = m.gpu AND d.policy = m.data AND d.variation LIKE 'data%' AND d.seed = 1 AND d.grid = t.grid
WHERE t.grid <> 62;

CREATE VIEW by_bits AS
SELECT CAST(t.policy ->> '$.bits' AS INTEGER) AS bits, t.series, t.whole / d.whole AS ratio
FROM (SELECT whole, json_object('bits', CAST(substr(policy, instr(policy, 'bits ') + 5) AS INTEGER)) AS policy,
             CASE WHEN policy LIKE 'private%' THEN 'a channel each, 2048 threads' ELSE substr(policy, instr(policy, 'threads ') + 8) || ' threads' END AS series,
             CASE WHEN policy LIKE 'private%' THEN 'data, threads 2048' ELSE 'data, ' || substr(policy, instr(policy, 'threads ')) END AS beside
      FROM times WHERE variation IN ('tiles of 16, tiny', 'tiles of 16, private')) t
     JOIN times d ON d.policy = t.beside AND d.variation = 'tiles of 16, data';
