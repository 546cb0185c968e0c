# Groups of bars side by side: a row is a group, a series a colour.  Means of the seeds, their least and greatest, the paper's.
set style fill solid 0.95 noborder
set boxwidth 0.84 / series
set border 3 lc rgb '#555555'
set tics nomirror
set grid ytics lc rgb '#d8d8d8' lt 1 lw 0.6
set key outside top center horizontal reverse Left samplen 1.2 width 1 height 0.3
set xtics textcolor rgb '#222222'
if (!exists("YMIN")) YMIN = 0
set yrange [YMIN:*]
set linetype 1 lc rgb '#9aa3ad'
set linetype 2 lc rgb '#0072b2'
set linetype 3 lc rgb '#e69f00'
set linetype 4 lc rgb '#009e73'
set linetype 5 lc rgb '#cc79a7'
set linetype 6 lc rgb '#56b4e9'
set linetype 7 lc rgb '#d55e00'
set linetype 8 lc rgb '#444444'
# Where the k-th series' bar of a row is.
at(k) = column(1) + (k - (series + 1) / 2.0) * 0.84 / series
# Of the k-th series; NaN where there are no such columns: an empty range of k would be gone through once.
shown(columns, k) = columns ? column(columns + k - 1) : NaN
plot for [k = 1:series] data using (at(k)):(column(first + k - 1)) with boxes lt k title NAMES[k], \
     for [k = 1:series] data using (at(k)):(shown(low, k)):(0):(shown(high, k) - shown(low, k)) \
         with vectors heads size graph 0.004,90 lw 1 lc rgb '#222222' notitle, \
     for [k = 1:series] data using (at(k)):(shown(paper, k)) with points pt 12 ps 1.1 lw 1.4 lc rgb '#000000' notitle, \
     keyentry with points pt 12 ps 1.1 lw 1.4 lc rgb '#000000' title paper ? 'paper' : ''
