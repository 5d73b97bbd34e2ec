"""A client for the subprotocol fw.live.1, written from examples/book/reference/live-protocol.md with the standard library only."""

import base64
import collections
import hashlib
import json
import os
import random
import socket
import struct

(PING, EVENT, ROOM, REPLY, FAILURE, CONNECT, DISCONNECT, JOIN, LEAVE, RENEW, GAP, AWAY, EXPIRING, HELLO, ONCE, MOVED,
 PRESENCE, MEMBERS) = range(18)
DATA_AT = {EVENT: 4, ONCE: 4, REPLY: 2, JOIN: 6}
SLOW_DOWN = (1008, 1009, 1011, 1013)


class Refused(Exception):
    """The server has refused a request."""

    def __init__(self, failure):
        super().__init__(failure.get("Message", ""))
        self.status = failure.get("Status", 0)


class Closed(Exception):
    """The connection has ended."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def encode(packet):
    """Serializes a packet. Bytes are appended to the rest of the packet, in a binary message."""
    at = next((i for i, value in enumerate(packet) if isinstance(value, bytes)), None)
    head = [value for i, value in enumerate(packet) if i != at]
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False)
    if at is None:
        return text
    head = text.encode()
    return struct.pack(">H", len(head)) + head + packet[at]


class Decoder:
    """Turns messages into packets. Joins the parts of long messages."""

    parts = ""

    def read(self, message):
        if isinstance(message, bytes):
            (length,) = struct.unpack(">H", message[:2])
            packet = json.loads(message[2:2 + length])
            return [packet[:DATA_AT[packet[0]]] + [message[2 + length:]] + packet[DATA_AT[packet[0]]:]]
        if message[0] == "+":
            self.parts += message[1:]
            return []
        if message[0] == "=":
            message, self.parts = self.parts + message[1:], ""
        value = json.loads(message)
        return [value] if isinstance(value[0], int) else value


def pause(code, tries, away=None, has_token=False):
    """Returns the time before the next connection in seconds, or None if the client must not reconnect."""
    if code == 4403 or code == 4401 and not has_token:
        return None
    return away / 1000 if away is not None else random.random() * min(20, 0.5 * 2 ** tries)


class Live:
    """A connection that can be opened again, and then resumes its rooms."""

    def __init__(self, host, port, path, token="", timeout=10):
        self.address, self.path, self.token, self.timeout = (host, port), path, token, timeout
        self.last_id, self.away, self.received = 0, None, collections.deque()
        self.replies, self.rooms, self.members = {}, {}, {}
        self.open()

    def open(self):
        self.socket = socket.create_connection(self.address, self.timeout)
        self.file, self.decoder, self.id, self.away = self.socket.makefile("rb"), Decoder(), "", None
        key = base64.b64encode(os.urandom(16)).decode()
        protocols = "fw.live.1" + (", bearer." + self.token if self.token else "")
        lines = [f"GET {self.path} HTTP/1.1", f"Host: {self.address[0]}:{self.address[1]}", "Upgrade: websocket",
                 "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}",
                 f"Sec-WebSocket-Protocol: {protocols}", "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        status = int(self.file.readline().split()[1])
        headers = dict(line.decode().strip().lower().split(": ", 1) for line in iter(self.file.readline, b"\r\n"))
        if status != 101:
            raise Refused({"Status": status, "Message": "The handshake was refused"})
        accept = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        assert headers["sec-websocket-accept"] == base64.b64encode(accept).decode().lower()
        assert headers["sec-websocket-protocol"] == "fw.live.1"
        while not self.id:
            self.pump()
        for namespace in {""} | {namespace for namespace, _ in self.rooms}:
            positions = {room: at[:2] for (each, room), at in self.rooms.items() if each == namespace}
            self.request(CONNECT, namespace, positions)
        for (namespace, room), (epoch, offset, params) in list(self.rooms.items()):
            self.request(JOIN, namespace, room, epoch, offset, params)

    def request(self, op, *fields):
        """Sends a packet and waits for its reply. Other packets are handled in the meantime."""
        self.last_id += 1
        number = self.last_id
        self.write(encode([op, number, *fields]))
        while number not in self.replies:
            self.pump()
        is_reply, data = self.replies.pop(number)
        if not is_reply:
            raise Refused(data)
        return data

    def ask(self, event, data=None, namespace=""):
        return self.request(EVENT, namespace, event, data)

    def once(self, event, data, key, namespace=""):
        return self.request(ONCE, namespace, event, data, key)

    def join(self, room, params=None, rewind=0, namespace=""):
        self.rooms[namespace, room] = ["", 0, params]
        try:
            joined = self.request(JOIN, namespace, room, "", 0, params, rewind) or {}
        except Refused:
            del self.rooms[namespace, room]
            raise
        self.place(namespace, room, joined.get("Epoch", ""), joined.get("Offset", 0))
        return joined.get("Reply")

    def place(self, namespace, room, epoch, offset):
        at = self.rooms.setdefault((namespace, room), ["", 0, None])
        if epoch:
            at[1] = max(at[1], offset) if at[0] in ("", epoch) else offset
            at[0] = epoch

    def pump(self):
        """Handles one message of the server."""
        for packet in self.decoder.read(self.read()):
            self.take(packet)

    def take(self, packet):
        op = packet[0]
        if op == PING and packet[1:] != [1]:
            self.write("[0,1]")
        elif op == EVENT:
            self.received.append((packet[3], packet[4], ""))
            if packet[1]:
                self.write(encode([REPLY, packet[1], f"python heard {packet[3]}"]))
        elif op == ROOM:
            _, namespace, room, offset, event, data, *rest = packet
            if offset and (namespace, room) in self.rooms:
                at = self.rooms[namespace, room]
                at[1] = max(at[1], offset)
            self.received.append((event, base64.b64decode(rest[0]) if rest else data, room))
        elif op in (REPLY, FAILURE):
            self.replies[packet[1]] = (op == REPLY, packet[2])
        elif op == GAP:
            _, namespace, room, first, last, reason, epoch, offset = packet
            self.place(namespace, room, epoch, offset)
            self.received.append(("gap", [first, last, reason], room))
        elif op == MOVED:
            _, namespace, room, joined, epoch, offset = packet
            if joined:
                self.place(namespace, room, epoch, offset)
            else:
                self.rooms.pop((namespace, room), None)
        elif op == MEMBERS:
            _, namespace, room, is_first, joined, left, updated = packet
            known = {} if is_first else self.members.get(room, {})
            gone = {member["ID"] for member in left}
            kept = {each: info for each, info in known.items() if each not in gone}
            self.members[room] = kept | {member["ID"]: member["Info"] for member in joined + updated}
        elif op == AWAY:
            self.away = packet[1]
        elif op == EXPIRING and self.token:
            self.write(encode([RENEW, 0, self.token]))
        elif op == HELLO:
            self.id, self.idle = packet[1], packet[2]

    def write(self, message, opcode=None):
        """Writes one masked frame."""
        body = message.encode() if isinstance(message, str) else message
        first = 0x80 | (opcode or (1 if isinstance(message, str) else 2))
        size = len(body)
        length = bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 254, size) if size < 65536 \
            else struct.pack(">BQ", 255, size)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(body))
        self.socket.sendall(bytes([first]) + length + mask + masked)

    def read(self):
        """Returns the next message. Joins fragments and responds to control frames."""
        whole, kind = b"", 0
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                raise Closed(1006)
            size = head[1] & 0x7F
            if size > 125:
                (size,) = struct.unpack(">H" if size == 126 else ">Q", self.file.read(2 if size == 126 else 8))
            body, opcode = self.file.read(size), head[0] & 15
            if opcode == 8:
                self.write(body, 8)
                self.socket.close()
                raise Closed(struct.unpack(">H", body[:2])[0] if body else 1005)
            if opcode == 9:
                self.write(body, 10)
            elif opcode < 3:
                kind, whole = opcode or kind, whole + body
                if head[0] & 0x80:
                    return whole.decode() if kind == 1 else whole

    def close(self):
        self.write(struct.pack(">H", 1000), 8)
        self.socket.close()
