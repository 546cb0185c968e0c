-- The rows that the programs printed, beside the published figures.

CREATE TABLE simulated AS
WITH RECURSIVE lines(point, line, rest) AS (
	SELECT point, '', output || char(10) FROM points WHERE outcome = 'passed'
	UNION ALL SELECT point, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM lines WHERE rest <> ''),
fields AS (SELECT DISTINCT l.point, e.variation, '["' || replace(line, ',', '","') || '"]' AS f FROM lines l JOIN entries e ON e.point = l.point WHERE line LIKE '%,right')
SELECT json_extract(f, '$[0]') AS card, CASE WHEN variation LIKE '% ' || json_extract(f, '$[0]') THEN substr(variation, 1, length(variation) - length(json_extract(f, '$[0]')) - 1) ELSE variation END AS point,
	CAST(json_extract(f, '$[2]') AS INTEGER) AS n, CAST(json_extract(f, '$[4]') AS REAL) AS nanoseconds, CAST(json_extract(f, '$[5]') AS REAL) AS figure, json_extract(f, '$[6]') AS unit FROM fields;

-- `error` is by how much the larger is above the smaller, in percent of the smaller; from a range, how far it is outside.
CREATE TABLE compared AS
SELECT r.card, r.point, r.unit, s.n, s.figure AS simulated, r.figure AS published, r.low, r.high, s.figure / r.figure AS ratio,
	100 * max(0, s.figure / coalesce(r.high, r.figure) - 1, coalesce(r.low, r.figure) / s.figure - 1) AS error, r.sure, r.title
FROM reference r JOIN simulated s ON s.card = r.card AND s.point = r.point AND s.unit = r.unit;

CREATE VIEW ranked AS
SELECT *, row_number() OVER (PARTITION BY card ORDER BY error, point) AS place, row_number() OVER (PARTITION BY card ORDER BY error DESC, point) AS from_worst, count(*) OVER (PARTITION BY card) AS of FROM compared;

CREATE VIEW cards AS
SELECT card, count(*) AS points, avg(CASE WHEN place IN ((of + 1) / 2, (of + 2) / 2) THEN error END) AS median, max(error) AS worst, max(CASE WHEN from_worst = 1 THEN point END) AS worst_point, sum(error > 40) AS over_40
FROM ranked GROUP BY card;
