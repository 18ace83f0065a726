"""Which server takes an episode: addresses, even spread, and servers that are lost for now."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import threading
import time
from collections.abc import Sequence

from sqlenv.errors import ErrorReason, SqlEnvError

DNS_PREFIX = "dns:///"
DNS_TTL_S = 30.0
"""How long a name's addresses are believed."""

LOST_FIRST_S = 0.5
LOST_MAX_S = 10.0


def parse_addresses(addresses: str | Sequence[str]) -> tuple[str, ...]:
    """Takes `host:port`, several of them separated by commas, a list, or `dns:///name:port`. Raises ValueError."""
    parts = addresses.split(",") if isinstance(addresses, str) else list(addresses)
    cleaned = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
    if not cleaned:
        raise ValueError("no server address given; expected host:port")
    for address in cleaned:
        _host_port(address)
    return cleaned


def _host_port(address: str) -> tuple[str, int]:
    host, colon, port = address.removeprefix(DNS_PREFIX).rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ValueError(f"address {address!r} is not host:port or dns:///name:port")
    return host, int(port)


async def resolve(address: str) -> list[str]:
    """The servers behind an address. Only `dns:///name:port` can have several: each IP address is one server.

    A plain name is left to gRPC, since names such as localhost have several addresses of the same server.
    """
    if not address.startswith(DNS_PREFIX):
        return [address]
    host, port = _host_port(address)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except OSError as error:
        details = f"{host}: {error}"
        raise SqlEnvError("UNAVAILABLE", ErrorReason.UNSPECIFIED, details, "resolve", address) from None
    ips = sorted({str(sockaddr[0]) for *_, sockaddr in found})
    return [f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}" for ip in ips]


class ServerPool:
    """The servers of one list of addresses, as this process sees them. All clients of the list share it.

    It counts the episodes that each server has from here, so that they are spread evenly, and remembers for a short
    time which servers were lost. It holds no connection.
    """

    def __init__(self, addresses: tuple[str, ...]) -> None:
        self._addresses = addresses
        self._lock = threading.Lock()
        self._servers: list[str] = []
        self._resolved_at = 0.0
        self._episode_counts: dict[str, int] = {}
        self._lost_until: dict[str, float] = {}
        self._lost_counts: dict[str, int] = {}
        # Processes start at different servers, else the first of the list would get the odd episode of each.
        self._turn = random.randrange(1 << 16)

    async def servers(self) -> list[str]:
        """All servers, resolved now or at most DNS_TTL_S ago. Raises SqlEnvError if no name can be resolved."""
        if self._servers and time.monotonic() - self._resolved_at < DNS_TTL_S:
            return self._servers
        found: dict[str, None] = {}
        problem: SqlEnvError | None = None
        for address in self._addresses:
            try:
                found.update(dict.fromkeys(await resolve(address)))
            except SqlEnvError as error:
                problem = error
        if found:
            self._servers = list(found)
            self._resolved_at = time.monotonic()
        elif problem is not None and not self._servers:
            raise problem
        return self._servers

    async def choose(self, avoid: frozenset[str] = frozenset()) -> str:
        """The live server with the fewest episodes from here; an avoided or lost one only if there is no other."""
        servers = await self.servers()
        now = time.monotonic()
        with self._lock:
            start = self._turn % len(servers)
            self._turn += 1
            in_turn = servers[start:] + servers[:start]
            return min(
                in_turn,
                key=lambda server: (
                    server in avoid,
                    self._lost_until.get(server, 0.0) > now,
                    self._episode_counts.get(server, 0),
                ),
            )

    async def has_other(self, server: str) -> bool:
        """True if there is another server that is not lost."""
        now = time.monotonic()
        others = [other for other in await self.servers() if other != server]
        with self._lock:
            return any(self._lost_until.get(other, 0.0) <= now for other in others)

    def enter(self, server: str) -> None:
        """Notes that an episode is on a server."""
        with self._lock:
            self._episode_counts[server] = self._episode_counts.get(server, 0) + 1

    def leave(self, server: str) -> None:
        """Notes that an episode is no longer on a server."""
        with self._lock:
            self._episode_counts[server] = max(0, self._episode_counts.get(server, 0) - 1)

    def lost(self, server: str) -> None:
        """Notes that a server did not answer: for a while, longer each time, others are preferred."""
        with self._lock:
            count = self._lost_counts.get(server, 0)
            self._lost_counts[server] = min(count + 1, 30)
            self._lost_until[server] = time.monotonic() + min(LOST_MAX_S, LOST_FIRST_S * 2**count)

    def answered(self, server: str) -> None:
        """Notes that a server answered."""
        if server in self._lost_counts:
            with self._lock:
                self._lost_counts.pop(server, None)
                self._lost_until.pop(server, None)

    def episode_counts(self) -> dict[str, int]:
        """Open episodes from this process, by server."""
        with self._lock:
            return dict(self._episode_counts)


_pools: dict[tuple[str, ...], ServerPool] = {}
_pools_lock = threading.Lock()


def pool_of(addresses: tuple[str, ...]) -> ServerPool:
    """The pool that this process keeps for a list of addresses."""
    with _pools_lock:
        pool = _pools.get(addresses)
        if pool is None:
            pool = _pools[addresses] = ServerPool(addresses)
        return pool


def _after_fork_in_child() -> None:
    global _pools, _pools_lock
    _pools, _pools_lock = {}, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
