# A panel for each first word of the series' names, in it a line for each second word, over the first column; all with the same axes,
# both of them logarithmic.  PER_ROW panels a row; the legend is behind the last one.  Means of the seeds.
if (!exists("PER_ROW")) PER_ROW = 6
PANELS = ""
LINES = ""
LEAST = NaN
MOST = NaN
has(list, name) = strstrt(" ".list." ", " ".name." ") > 0
place(list, name) = sum [i = 1:words(list)] (word(list, i) eq name ? i : 0)
do for [k = 1:series] {
	if (!has(PANELS, word(NAMES[k], 1))) { PANELS = PANELS." ".word(NAMES[k], 1) }
	if (!has(LINES, word(NAMES[k], 2))) { LINES = LINES." ".word(NAMES[k], 2) }
	stats data using (column(first + k - 1)) nooutput
	if (!(LEAST <= STATS_min)) { LEAST = STATS_min }
	if (!(MOST >= STATS_max)) { MOST = STATS_max }
}
set border 3 lc rgb '#555555'
set tics nomirror font ',10'
set grid lc rgb '#d8d8d8' lt 1 lw 0.6
set logscale x 2
set logscale y 10
set yrange [LEAST * 0.8:MOST * 1.2]
set linetype 1 lc rgb '#9aa3ad' lw 2 pt 7 ps 0.6
set linetype 2 lc rgb '#0072b2' lw 2 pt 5 ps 0.6
set linetype 3 lc rgb '#e69f00' lw 2 pt 9 ps 0.7
set linetype 4 lc rgb '#009e73' lw 2 pt 13 ps 0.8
set linetype 5 lc rgb '#cc79a7' lw 2 pt 11 ps 0.7
set linetype 6 lc rgb '#d55e00' lw 2 pt 8 ps 0.7
set key off
set multiplot layout ceil((words(PANELS) + 1) / (1.0 * PER_ROW)), PER_ROW
do for [p in PANELS] {
	set title p offset 0,-0.7 font ',12'
	plot for [k = 1:series] data using 2:(word(NAMES[k], 1) eq p ? column(first + k - 1) : NaN) \
		with linespoints lt place(LINES, word(NAMES[k], 2)) notitle
}
unset title
unset border
unset tics
unset grid
unset logscale
unset xlabel
unset ylabel
set xrange [0:1]
set yrange [0:1]
set key inside center samplen 2 spacing 1.4
plot NaN notitle, for [k = 1:words(LINES)] keyentry with linespoints lt k title word(LINES, k)
unset multiplot
