def walk(t):
    x, steps, place = t, 0, "B" if t & 1 else "A"
    while place != "E":
        if place == "A":
            steps, x = steps + 1, x * 5 + 3 & 255
            place = "C" if x < 64 else "B"
        elif place == "B":
            steps, x = steps + 256, x * 3 + 1 & 255
            place = "D" if x > 200 else "E" if steps > 5000 else "A"
        elif place == "C":
            steps, x = steps + 65536, x ^ 85
            place = "E" if steps > 400000 else "B"
        else:
            steps += 16777216
            place = "E" if x & 2 or steps > 50000000 else "A"
    return steps ^ x
