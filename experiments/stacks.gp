# Groups of stacked bars: a row is a bar, a series a part of it.
set style fill solid 0.95 noborder
set boxwidth 0.86
set border 3 lc rgb '#555555'
set tics nomirror
set grid ytics lc rgb '#d8d8d8' lt 1 lw 0.6
set key outside top center horizontal reverse Left samplen 1.2 width 1 height 0.3
set xtics rotate by 90 right font ',9' textcolor rgb '#222222'
set bmargin 6
set yrange [0:*]
set linetype 1 lc rgb '#0072b2'
set linetype 2 lc rgb '#e69f00'
set linetype 3 lc rgb '#d55e00'
set linetype 4 lc rgb '#56b4e9'
set linetype 5 lc rgb '#cc79a7'
set linetype 6 lc rgb '#009e73'
# The tallest first, so that each next one covers what is below it.
total(n) = sum [c = first:first + n - 1] (valid(c) ? column(c) : 0)
plot for [k = series:1:-1] data using 1:(total(k)) with boxes lt k notitle, \
     for [k = 1:series] keyentry with boxes lt k title NAMES[k]
