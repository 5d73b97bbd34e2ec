"""Checks the client against the test vectors."""

import json
import sys

import live

with open(sys.argv[1], encoding="utf-8") as file:
    vectors = json.load(file)


def to_bytes(value):
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) and "hex" in value else value


count = 0
for vector in vectors["client"]:
    packet = [to_bytes(value) for value in vector["packet"]]
    message = live.encode(packet)
    assert (message.hex() if isinstance(message, bytes) else message) == vector.get("text", vector.get("hex")), vector
    count += 1
for vector in vectors["server"]:
    decoder = live.Decoder()
    messages = vector["messages"]
    found = [packet for message in messages for packet in decoder.read(to_bytes(message))]
    assert found == [[to_bytes(value) for value in packet] for packet in vector["packets"]], vector
    count += 1
for vector in vectors["reconnect"]:
    waits = live.pause(vector["code"], 1, vector.get("away"), vector.get("hasToken", False))
    assert (waits is not None) == vector["reconnects"], vector
    if vector.get("away") is not None and vector["reconnects"]:
        assert waits == vector["away"] / 1000, vector
    count += 1
print(count)
