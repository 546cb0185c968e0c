# A line for each series over the first column.  Means of the seeds, their least and greatest, the paper's.
set border 3 lc rgb '#555555'
set tics nomirror
set grid lc rgb '#d8d8d8' lt 1 lw 0.6
set key outside top center horizontal reverse Left samplen 2 width 1 height 0.3
set yrange [0:*]
set linetype 1 lc rgb '#9aa3ad' lw 2 pt 7 ps 0.7
set linetype 2 lc rgb '#0072b2' lw 2 pt 5 ps 0.7
set linetype 3 lc rgb '#e69f00' lw 2 pt 9 ps 0.8
set linetype 4 lc rgb '#009e73' lw 2 pt 13 ps 0.9
set linetype 5 lc rgb '#d55e00' lw 2 pt 11 ps 0.8
# Of the k-th series; NaN where there are no such columns: an empty range of k would be gone through once.
shown(columns, k) = columns ? column(columns + k - 1) : NaN
plot for [k = 1:series] data using 2:(column(first + k - 1)) with linespoints lt k title NAMES[k], \
     for [k = 1:series] data using 2:(shown(low, k)):(0):(shown(high, k) - shown(low, k)) \
         with vectors heads size graph 0.004,90 lt k notitle, \
     for [k = 1:series] data using 2:(shown(paper, k)) with points pt 12 ps 1.1 lw 1.4 lc rgb '#000000' notitle, \
     keyentry with points pt 12 ps 1.1 lw 1.4 lc rgb '#000000' title paper ? 'paper' : ''
