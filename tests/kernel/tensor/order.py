"""Where threads change words of a box of 4 rows of 32 words with a swizzle of 128 bytes: every second word of shared memory."""


def changed(word):
    return (word ^ (word * 4 >> 3 & 0x70) // 4) % 2 == 0
