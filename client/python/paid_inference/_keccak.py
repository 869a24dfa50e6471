"""Keccak-256, the hash of EIP-712. The SHA3-256 of the standard library pads differently."""

_RATE = 136
_MASK = (1 << 64) - 1


def keccak256(data: bytes) -> bytes:
    """Return the hash of public data. This code is not meant for secrets: its time depends on the length."""
    padded = bytearray(data)
    padded.append(0x01)
    padded.extend(bytes(-len(padded) % _RATE))
    padded[-1] |= 0x80
    lanes = [0] * 25
    for start in range(0, len(padded), _RATE):
        for lane in range(_RATE // 8):
            at = start + 8 * lane
            lanes[lane] ^= int.from_bytes(padded[at : at + 8], "little")
        lanes = _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def _permute(lanes: list[int]) -> list[int]:
    """Apply Keccak-f[1600]. The lane at column x and row y has the index x + 5y."""
    register = 1
    for _ in range(24):
        parity = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        lanes = [
            lane ^ parity[(index - 1) % 5] ^ _rotate(parity[(index + 1) % 5], 1)
            for index, lane in enumerate(lanes)
        ]
        x, y, moving = 1, 0, lanes[1]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            moving, lanes[x + 5 * y] = lanes[x + 5 * y], _rotate(moving, (step + 1) * (step + 2) // 2)
        lanes = [
            lane ^ (~_neighbour(lanes, index, 1) & _neighbour(lanes, index, 2))
            for index, lane in enumerate(lanes)
        ]
        for bit in range(7):
            register = ((register << 1) ^ ((register >> 7) * 0x71)) & 0xFF
            if register & 2:
                lanes[0] ^= 1 << ((1 << bit) - 1)
    return lanes


def _neighbour(lanes: list[int], index: int, distance: int) -> int:
    x = index % 5
    return lanes[index - x + (x + distance) % 5]


def _rotate(lane: int, count: int) -> int:
    count %= 64
    return ((lane << count) | (lane >> (64 - count))) & _MASK
