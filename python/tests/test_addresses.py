"""Addresses, and which server takes an episode."""

from __future__ import annotations

import pytest

from sqlenv.addresses import ServerPool, parse_addresses, resolve

A, B, C = "10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"


def test_forms_of_a_list() -> None:
    assert parse_addresses(f"{A}, {B},{A}") == (A, B)
    assert parse_addresses([A, B]) == (A, B)
    assert parse_addresses("dns:///localhost:50051") == ("dns:///localhost:50051",)
    assert parse_addresses("[::1]:50051") == ("[::1]:50051",)


@pytest.mark.parametrize("text", ["", " , ", "localhost", "localhost:", "localhost:0", "localhost:65536", ":1", "a:b"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r"address"):
        parse_addresses(text)


async def test_a_name_with_several_addresses_is_several_servers() -> None:
    found = await resolve("dns:///localhost:50051")
    assert "127.0.0.1:50051" in found
    assert await resolve("localhost:50051") == ["localhost:50051"]


async def test_episodes_are_spread_evenly() -> None:
    pool = ServerPool((A, B, C))
    for _ in range(64):
        pool.enter(await pool.choose())
    assert sorted(pool.episode_counts().values()) == [21, 21, 22]


async def test_the_server_with_the_fewest_is_next() -> None:
    pool = ServerPool((A, B))
    for _ in range(4):
        pool.enter(A)
    chosen = []
    for _ in range(6):
        chosen.append(await pool.choose())
        pool.enter(chosen[-1])
    assert chosen[:4] == [B] * 4
    assert sorted(chosen[4:]) == [A, B]
    for _ in range(5):
        pool.leave(A)
    assert await pool.choose() == A


async def test_a_lost_server_is_left_alone_until_it_answers() -> None:
    pool = ServerPool((A, B))
    pool.lost(A)
    assert [await pool.choose() for _ in range(4)] == [B] * 4
    assert not await pool.has_other(B)
    # The only one that may be chosen is taken all the same.
    assert await pool.choose(frozenset({B})) == A
    pool.answered(A)
    assert {await pool.choose() for _ in range(4)} == {A, B}
