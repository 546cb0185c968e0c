def interpret(thread, code):
    stack, depth, at, steps = [thread + k for k in range(8)], 0, 0, 0
    while steps < 200 and at < 64:
        op = code[64 * thread + at]
        at += 1
        steps += 1
        a, b = depth & 7, depth - 1 & 7
        top, below = stack[a], stack[b]
        case = op % 13
        if case == 0:
            depth += 1
            stack[depth & 7] = op
        elif case <= 5:
            stack[b] = s64([below + top, below - top, below * top, quotient(below, top) if top else -1, remainder(below, top) if top else -1][case - 1])
            depth -= 1
        elif case == 6:
            stack[a] = ~top
        elif case == 7:
            stack[a] = s64(top << (op & 31))
        elif case == 8:
            stack[a] = top >> (op & 15)
        elif case == 9:
            at = at + op // 13 & 63 if top & 1 else at
        elif case == 10:
            stack[a], stack[b] = below, top
        elif case == 11:
            stack[depth + 1 & 7] = top
            depth += 1
        else:
            stack[a] ^= stack[op & 7]
    total = 0
    for value in stack:
        total = total * 31 + value
    return total + (depth & 0xFFFFFFFF)
