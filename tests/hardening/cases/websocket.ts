/** Attacks on WebSocket handshakes, frames and messages. The server must still serve others afterwards. */

import type { Attack } from "../attack.ts";
import { secret, so } from "../expect.ts";
import { responds } from "../expect.ts";
import type { Outcome } from "../outcome.ts";
import { get } from "../requests.ts";
import { toBytes, type Wire } from "../wire.ts";

const needs = { needs: ["websocket"] };
const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

/** An object that throws when it is converted to a string or a number. */
const stubborn = '{"toString":1,"valueOf":1}';
const nested = "[".repeat(4_000) + "]".repeat(4_000);

/** The packets of a client by name, with a place for a value of the wrong type. */
const packets: Readonly<Record<string, (value: string) => string>> = {
  "the ID of an event": (value) => `[1,${value},"","echo",1]`,
  "the namespace of an event": (value) => `[1,1,${value},"echo",1]`,
  "the name of an event": (value) => `[1,1,"",${value},1]`,
  "the data of an event": (value) => `[1,1,"","echo",${value}]`,
  "the ID of a reply": (value) => `[3,${value},1]`,
  "the ID of an error": (value) => `[4,${value},1]`,
  "an error": (value) => `[4,1,{"Message":${value}}]`,
  "the namespace to connect to": (value) => `[5,1,${value},{}]`,
  "the positions of rooms": (value) => `[5,1,"",{"open":${value}}]`,
  "the namespace to leave": (value) => `[6,1,${value}]`,
  "the room to join": (value) => `[7,1,"",${value},"",0]`,
  "the epoch of a room": (value) => `[7,1,"","open",${value},1]`,
  "the offset of a room": (value) => `[7,1,"","open","epoch",${value}]`,
  "the parameters of a join": (value) => `[7,1,"","open","",0,${value}]`,
  "the rewind of a join": (value) => `[7,1,"","open","",0,null,${value}]`,
  "the room whose members are requested": (value) => `[16,1,"",${value}]`,
  "the watch of members": (value) => `[16,1,"","open",${value}]`,
  "the room to leave": (value) => `[8,1,"",${value}]`,
  "a token": (value) => `[9,1,${value}]`,
  "the key of an event that is applied once": (value) => `[14,1,"","echo",1,${value}]`,
};

/** Malformed Socket.IO packets. Those with a placeholder are followed by an attachment. */
const socketIOPackets: Readonly<Record<string, string>> = {
  "a placeholder with an object as its number": `451-["echo",{"_placeholder":true,"num":${stubborn}}]`,
  "a placeholder out of range": '451-["echo",{"_placeholder":true,"num":7}]',
  "a placeholder with a negative number": '451-["echo",{"_placeholder":true,"num":-1}]',
  "deeply nested data with an attachment": `451-["echo",${nested}]`,
  "deeply nested data that is sent back": `421["echo",${nested}]`,
  "more attachments than it announces": '450-["echo"]',
  "too many attachments": '4599-["echo"]',
  "an event name that is an object": `42[${stubborn}]`,
  "an acknowledgement that nobody asked for": "4399[1]",
};

/** Creates a handshake with some lines replaced. */
export function handshake(lines: Readonly<Record<string, string>> = {}, path = "/ws"): string {
  const usual: Record<string, string> = {
    host: "Host: localhost",
    upgrade: "Upgrade: websocket",
    connection: "Connection: Upgrade",
    key,
    version: "Sec-WebSocket-Version: 13",
    protocol: "Sec-WebSocket-Protocol: fw.live.1",
    ...lines,
  };
  const head = Object.values(usual).filter((line) => line !== "").join("\r\n");
  return `GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`;
}

/** Creates a frame. By default, it is a final text frame that is masked with zeros. */
export function frame(text: string, first = 0x81, isMasked = true): string {
  const mask = isMasked ? 0x80 : 0;
  const length = text.length < 126
    ? String.fromCharCode(mask | text.length)
    : String.fromCharCode(mask | 126, text.length >> 8, text.length & 255);
  return String.fromCharCode(first) + length + (isMasked ? "\0\0\0\0" : "") + text;
}

/**
 * Opens a connection, sends bytes and waits for a moment. The runner checks after every row that others are still
 * served.
 */
function sends(name: string, ...bytes: string[]): Attack {
  return sendsAfter(handshake(), name, ...bytes);
}

function sendsAfter(opening: string, name: string, ...bytes: string[]): Attack {
  return {
    name,
    ...needs,
    send: [
      { write: opening },
      { replies: 1 },
      ...bytes.map((write) => ({ write })),
      { wait: 100 },
      { half: true },
    ],
    expect: so("serves others and tells nothing of the inside", (outcome) => !shown(outcome).includes(secret)),
  };
}

function shown(outcome: Outcome): string {
  return JSON.stringify(outcome);
}

/** Creates a close frame with a code. */
function closing(code: number): string {
  return frame(String.fromCharCode(code >> 8, code & 255), 0x88);
}

/** Sends a message in fragments that never ends, and measures the memory of the process. */
async function sendEndlessFragments(wire: Wire): Promise<Outcome> {
  const before = await wire.send(get("/rss"));
  using connection = await wire.open();
  const part = toBytes(frame("x".repeat(60_000), 0x00));
  try {
    await writeAll(connection, toBytes(handshake()));
    await connection.read(new Uint8Array(4_000));
    await writeAll(connection, toBytes(frame("[", 0x01)));
    for (let sent = 0; sent < 192 << 20; sent += part.length) await writeAll(connection, part);
  } catch {
    // The server has closed the connection.
  }
  const after = await wire.send(get("/rss"));
  return { ...after, figures: [before, after].map((each) => Number(each.replies[0]?.body)) };
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** The names of rooms that could be mistaken for those of another namespace, or for fw's own channels. */
const foreignRooms = ["staff/plans", "/staff/plans", "staff\\nplans", "\\nall\\n0", "\\nall\\n1", "\\ncontrol\\n0"];

/** Attacks on the parameters of joins, rewinds and presence. */
function roomAttacks(): Attack[] {
  const rows: Readonly<Record<string, readonly string[]>> = {
    "Parameters of a join that are larger than a message end their connection alone": [
      `[7,1,"","news","",0,"${"x".repeat(10_000)}"]`,
    ],
    "Parameters of a join with the names of prototypes are only data": [
      '[7,1,"","news","",0,{"__proto__":{"x":1},"constructor":{"prototype":1},"toString":1}]',
    ],
    "A rewind beyond the limit does not show earlier messages": ['[7,1,"","news","",0,null,9007199254740991]'],
    "A rewind of a negative or broken number does not show earlier messages": [
      '[7,1,"","news","",0,null,-6]',
      '[7,2,"","news","",0,null,1e308]',
      '[7,3,"","news","",0,null,"6"]',
    ],
    "The presence of a room that a client may not join is not shown": [
      '[7,1,"","closed"]',
      '[16,2,"","closed"]',
      '[16,3,"","closed",1]',
    ],
    "The presence of a room is not shown while its join is being refused": [
      '[[7,1,"","closed","",0,true],[16,2,"","closed"],[16,3,"","closed",1]]',
    ],
    "The presence of fw's own channels is not shown": ['[7,1,"","\\nprocesses"]', '[16,2,"","\\nprocesses",1]'],
  };
  const needs = { needs: ["websocket", "rooms"] };
  return Object.entries(rows).map(([name, messages]) => ({
    ...sendsAfter(handshake({}, "/rooms-ws"), name, ...messages.map((text) => frame(text))),
    ...needs,
  }));
}

/** All attacks on WebSocket connections. */
export const websocketAttacks: readonly Attack[] = [
  {
    name: "A plain request to a WebSocket route receives 426",
    ...needs,
    send: "GET /ws HTTP/1.1\r\nHost: localhost\r\n\r\n",
    expect: responds(426),
  },
  {
    name: "A handshake with version 8 receives 426",
    ...needs,
    send: handshake({ version: "Sec-WebSocket-Version: 8" }),
    expect: responds(426),
  },
  { name: "A handshake without a version gets 426", ...needs, send: handshake({ version: "" }), expect: responds(426) },
  {
    name: "A handshake with a short key receives 400",
    ...needs,
    send: handshake({ key: "Sec-WebSocket-Key: abc" }),
    expect: responds(400),
  },
  { name: "A handshake without a key gets 400", ...needs, send: handshake({ key: "" }), expect: responds(400) },
  {
    name: "A handshake with a malformed subprotocol receives 400",
    ...needs,
    send: handshake({ protocol: "Sec-WebSocket-Protocol: a(b)" }),
    expect: responds(400),
  },
  ...["http://evil.example", "null", "http://localhost.evil.example", "http://localhost:81", "file://"].map((
    origin,
  ): Attack => ({
    name: `A page of ${origin} cannot connect with the cookies of this site`,
    ...needs,
    send: handshake({ origin: `Origin: ${origin}` }),
    expect: responds(403),
  })),
  sends("Malformed JSON ends its connection alone", frame("{")),
  sends("JSON of other shapes ends its connection alone", frame("5"), frame("null"), frame('{"a":1}')),
  sends("An operation that clients do not have ends its connection alone", frame('[-1,"x"]')),
  sends("A handler that throws tells nothing", frame('[1,1,"","fail",null]')),
  sends("A room without permission is not joined", frame('[7,1,"","closed","",0]')),
  ...roomAttacks(),
  sends("The handlers of fw's own events cannot be called", frame('[1,1,"","_OnRoomJoin","closed"]')),
  sends("Names of prototypes are only names", frame('[1,1,"__proto__","constructor",{"__proto__":{"x":1}}]')),
  sends("An unmasked frame does not end the server", frame('[1,1,"","echo",1]', 0x81, false)),
  sends("A frame with reserved bits does not end the server", frame("x", 0xf1)),
  sends("A reserved opcode does not end the server", frame("x", 0x83)),
  sends("A continuation without a beginning does not end the server", frame("x", 0x80)),
  sends("A text message that is not UTF-8 does not end the server", frame("\xff\xfe\xfd")),
  sends("A close frame of one byte does not end the server", frame("x", 0x88)),
  sends(
    "A frame that announces 2^63 bytes does not end the server",
    "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0x",
  ),
  sends(
    "Fragments that add up beyond the limit end their connection",
    ...Array.from({ length: 20 }, (_, at) => frame("a".repeat(1_000), at === 0 ? 0x01 : 0x00)),
    frame("b", 0x80),
  ),
  sends("A flood of events ends its connection alone", frame('[1,0,"","echo",1]').repeat(5_000)),
  sends("A flood of pings does not end the server", frame("x", 0x89).repeat(2_000)),
  sends("A deeply nested message does not end the server", frame("[".repeat(5_000))),
  ...foreignRooms.map((room) =>
    sends(
      `A client that joins the room "${room}" does not receive the messages of another namespace`,
      frame(`[7,1,"","${room}"]`),
      frame('[1,2,"","tell staff",null]'),
    )
  ),
  sends(
    "A client that a namespace has refused does not receive its messages",
    frame('[5,1,"staff",{}]'),
    frame('[1,2,"","tell staff",null]'),
  ),
  sends(
    "A client cannot address fw's own channels",
    frame('[7,1,"","__proto__"]') + frame('[8,2,"","constructor"]') + frame('[5,3,"",{"__proto__":["e",1],"x":[1,2]}]'),
  ),
  ...["/kept-ws", "//kept-ws", "/./kept-ws", "/x/../kept-ws", "/%6bept-ws", "/kept-ws?x=1"].map((path): Attack => ({
    name: `A handshake for ${path} does not pass by the guard`,
    ...needs,
    send: handshake({}, path),
    expect: responds(403),
  })),
  {
    name: "A handshake whose method is overridden does not pass by the guard",
    ...needs,
    send: handshake({ override: "X-HTTP-Method-Override: GET" }, "/kept-ws").replace("GET", "POST"),
    expect: responds(403, 404, 405, 400),
  },
  {
    name: "A handshake with a body is rejected",
    ...needs,
    send: `${handshake({ length: "Content-Length: 5" })}hello`,
    expect: responds(400),
  },
  sends("A fragmented ping does not end the server", frame("x", 0x09)),
  sends("A ping of more than 125 bytes does not end the server", frame("x".repeat(126), 0x89)),
  sends("A message within a fragmented message does not end the server", frame("a", 0x01), frame("b", 0x81)),
  sends("Fragments that are not UTF-8 together do not end the server", frame("\xe2", 0x01), frame("\x28\xa1", 0x80)),
  sends("Empty fragments by the thousand do not end the server", frame("[", 0x01), frame("", 0x00).repeat(20_000)),
  ...[0, 999, 1005, 1006, 1015, 2999, 65535].map((code) =>
    sends(`A close frame with code ${code} does not end the server`, closing(code))
  ),
  sends("A message after the close frame does not end the server", closing(1000) + frame('[1,1,"","echo",1]')),
  sends(
    "A client that joins rooms without end is stopped",
    Array.from({ length: 1_500 }, (_, n) => frame(`[7,${n + 1},"","${n}"]`)).join(""),
  ),
  sends(
    "Names of 10,000 characters do not end the server",
    frame(`[1,1,"${"n".repeat(3_000)}","${"e".repeat(3_000)}",null]`) + frame(`[7,1,"","${"r".repeat(3_000)}"]`),
  ),
  {
    name: "A message of endless fragments takes no more memory than messages may have",
    ...needs,
    send: sendEndlessFragments,
    expect: so(
      "takes less than 48 MB more memory",
      ({ figures: [before = NaN, after = NaN] = [] }) => after - before < 48_000_000,
    ),
  },
  ...Object.entries(packets).flatMap(([field, packet]) => [
    sends(`An object that cannot be converted as ${field} does not end the server`, frame(packet(stubborn))),
    sends(`Deeply nested arrays as ${field} do not end the server`, frame(packet(nested))),
  ]),
  ...Object.entries(socketIOPackets).map(([fault, packet]) =>
    sendsAfter(
      handshake({ protocol: "" }, "/socket.io?EIO=4&transport=websocket"),
      `A Socket.IO packet with ${fault} does not end the server`,
      frame("40") + frame(packet) + frame("x", 0x82),
    )
  ),
];
