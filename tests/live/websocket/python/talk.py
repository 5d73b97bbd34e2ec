"""Talks to a server, and prints what it has received as JSON."""

import json
import sys
import time

from live import PRESENCE, Closed, Live, Refused, encode

host, port, path = "127.0.0.1", int(sys.argv[1]), "/ws"
results = {}


def refused(call, *args):
    try:
        call(*args)
    except Refused as error:
        return error.status
    return 0


def cut(client, count):
    """Has the server close the connection and then publish messages, and opens another connection."""
    try:
        client.ask("cut", count)
        while True:
            client.pump()
    except Closed as closed:
        results["cut"] = closed.code
    client.open()


def events(client, name):
    return [data for event, data, _ in client.received if event == name]


ada = Live(host, port, path)
results["echo"] = [ada.ask("echo", value) for value in ("ä🍵", [1, {"a": None}], 2 ** 60, "x" * 30_000)] == [
    "ä🍵", [1, {"a": None}], 2 ** 60, "x" * 30_000]
results["long"] = len(ada.ask("long", 100_000))
results["bytes"] = ada.ask("echo", bytes(range(256))) == bytes(range(256))
ada.write("[" + encode([1, 0, "", "note", "a"]) + "," + encode([1, 0, "", "note", "b"]) + "]")
results["batch"] = ada.ask("notes")
results["statuses"] = [refused(ada.ask, "none"), refused(ada.ask, "fail"), refused(ada.join, "secret"),
                       refused(ada.request, PRESENCE, "", "tea"), refused(ada.ask, "echo", 1, "unknown")]
results["asked"] = ada.ask("askMe")
results["once"] = [ada.once("count", None, "key-1"), ada.once("count", None, "key-1"), ada.once("count", None, "key-2")]
results["joined"] = ada.join("tea", {"nick": "Ada"}, 2)
results["rewound"] = events(ada, "said")
ada.request(PRESENCE, "", "tea", 1)
bob = Live(host, port, path)
bob.join("tea")
while len(ada.members["tea"]) < 2:
    ada.pump()
results["listed"] = len(bob.request(PRESENCE, "", "tea"))
bob.close()
while len(ada.members["tea"]) > 1:
    ada.pump()
ada.ask("say", "while connected")
cut(ada, 2)
results["resumed"] = events(ada, "said")
ada.ask("sayBytes")
while not events(ada, "raw"):
    ada.pump()
results["raw"] = events(ada, "raw")[0] == bytes([1, 2, 3])
ada.received.clear()
cut(ada, 150)
results["gap"] = [[last - first + 1, reason] for first, last, reason in events(ada, "gap")]
results["after"] = [len(events(ada, "said")), events(ada, "said")[0], events(ada, "said")[-1]]
end = time.monotonic() + 1.5
ada.socket.settimeout(2)
pings = 0
while time.monotonic() < end:
    pings += "[0]" in str(ada.read())
    ada.write("[0,1]")
results["pings"] = pings > 1
results["alive"] = ada.ask("echo", "still here")
ada.close()
print(json.dumps(results))
