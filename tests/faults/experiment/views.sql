CREATE VIEW ends AS SELECT max(cycles) AS time FROM runs;
