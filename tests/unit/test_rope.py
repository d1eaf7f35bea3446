"""A rope is a list with sums."""

import random
from itertools import accumulate

import pytest

from bpeek.rope import Rope


@pytest.mark.parametrize("seed", range(30))
def test_like_a_list(seed):
    rng = random.Random(seed)

    def item():
        return (rng.randint(1, 5), rng.choice([0, 0, 1, 7])), rng.random()

    plain = [item() for _ in range(rng.choice([0, 1, 300, 700]))]
    rope = Rope(list(plain), 2)
    for _ in range(30):
        first = rng.randint(0, len(plain))
        last = min(len(plain), first + rng.choice([0, 1, 3, 200, 700]))
        new = [item() for _ in range(rng.choice([0, 1, 2, 150, 600]))]
        plain[first:last] = new
        rope.replace(first, last, new)
        check(rope, plain, rng)


def check(rope, plain, rng):
    assert list(rope) == plain and len(rope) == len(plain)
    assert rope.sizes == tuple(sum(sizes[column] for sizes, _ in plain) for column in (0, 1))
    if not plain:
        return
    at = rng.randrange(len(plain))
    before = [tuple(accumulate((sizes[column] for sizes, _ in plain), initial=0)) for column in (0, 1)]
    assert rope[at] == plain[at]
    assert rope.before(at) == (before[0][at], before[1][at])
    end = rng.randint(at, len(plain))
    assert rope.items(at, end) == plain[at:end]
    for column in (0, 1):
        position = rng.randint(0, rope.sizes[column])
        found, sizes = rope.find(column, position)
        assert sizes == (before[0][found], before[1][found])
        ends = before[column][1:]
        assert found == next((index for index, end in enumerate(ends) if end > position), len(plain) - 1)
