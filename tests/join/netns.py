"""Machines that are none: a network namespace for each party, joined by a bridge in a namespace of its own.

            hub:  bridge 10.213.7.254
             |         |         |
        T1 .1     T2 .2     T3 .3    ...      one veth pair each; `cut` takes the hub's end down, `heal` up

Needs root, `ip` and a kernel that lets us; `why_not` says what is missing.
"""

import os
import secrets
import subprocess

from tests.system_tools import system_tool

__all__ = ["Network", "why_not"]

_IP = system_tool("ip")


def why_not() -> str | None:
    """The reason why there can be no namespaces here, or None."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "network namespaces need root"
    if _IP is None:
        return "the program ip (iproute2) is not installed"
    try:
        with Network(["probe"]):
            return None
    except RuntimeError as error:
        return f"network namespaces are not permitted here ({error})"


class Network:
    """Parties by name, each in its own namespace, until the end of the `with` block."""

    def __init__(self, parties: list[str]):
        self._tag = secrets.token_hex(2)
        self._places = {name: number for number, name in enumerate(parties, 1)}
        self._made: list[str] = []

    def __enter__(self) -> "Network":
        try:
            hub = self._namespace("hub")
            self._ip("-n", hub, "link", "add", "bridge", "type", "bridge")
            self._ip("-n", hub, "link", "set", "bridge", "up")
            for name, number in self._places.items():
                space = self._namespace(name)
                here = f"c{self._tag}{number}"
                self._ip("link", "add", here, "netns", hub, "type", "veth", "peer", "name", "eth0", "netns", space)
                self._ip("-n", hub, "link", "set", here, "master", "bridge", "up")
                self._ip("-n", space, "address", "add", f"{self.host(name)}/24", "dev", "eth0")
                self._ip("-n", space, "link", "set", "eth0", "up")
                self._ip("-n", space, "link", "set", "lo", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        for space in self._made:
            subprocess.run([str(_IP), "netns", "delete", space], check=False, capture_output=True)
        self._made.clear()

    def host(self, name: str) -> str:
        """A party's address, without port."""
        return f"10.213.7.{self._places[name]}"

    def inside(self, name: str) -> list[str]:
        """What to write before a command to run it in a party's namespace."""
        return [str(_IP), "netns", "exec", f"confide-{self._tag}-{name}"]

    def cut(self, name: str) -> None:
        """Unplug a party: packets to and from it vanish, and nobody hears of it."""
        self._hub_end(name, "down")

    def heal(self, name: str) -> None:
        """Plug it in again."""
        self._hub_end(name, "up")

    def _hub_end(self, name: str, state: str) -> None:
        self._ip("-n", f"confide-{self._tag}-hub", "link", "set", f"c{self._tag}{self._places[name]}", state)

    def _namespace(self, name: str) -> str:
        space = f"confide-{self._tag}-{name}"
        self._ip("netns", "add", space)
        self._made.append(space)
        return space

    @staticmethod
    def _ip(*words: str) -> None:
        done = subprocess.run([str(_IP), *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"ip {words[0]} failed")
