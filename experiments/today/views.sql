-- The hash table: the way without the policy's "stack: ", and its speed over spin locks of the same GPU, buckets and seed.
CREATE VIEW ways AS
SELECT gpu, replace(policy, 'stack: ', '') AS way, x, seed, cycles FROM runs WHERE benchmark = 'HT';

CREATE VIEW speeds AS
SELECT w.gpu, w.way, w.x, w.seed, w.cycles, 1.0 * s.cycles / w.cycles AS speed
FROM ways w JOIN ways s USING (gpu, x, seed) WHERE s.way = 'spin';

-- The validation kernel prints "reduction phase: N cycles".
CREATE VIEW phases AS
SELECT r.gpu, r.variation AS scheme, r.seed, CAST(substr(p.output, instr(p.output, 'reduction phase: ') + 17) AS INTEGER) AS cycles
FROM runs r JOIN points p USING (point) WHERE r.benchmark = 'validation';

CREATE VIEW schemes AS
SELECT s.gpu, s.scheme, s.seed, s.cycles, 1.0 * a.cycles / s.cycles AS speed FROM phases s JOIN phases a USING (gpu, seed) WHERE a.scheme = 'atom_lock';
