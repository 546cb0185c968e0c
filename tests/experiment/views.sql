CREATE VIEW pairs AS SELECT 1.0 * g.cycles / l.cycles AS time FROM runs g JOIN runs l USING (benchmark, variation, seed)
WHERE g.policy = 'gto' AND l.policy = 'lrr';
