/** Attacks on WebSocket handshakes, frames and messages. The server must still serve others afterwards. */

import type { Attack } from "../attack.ts";
import { secret, so } from "../expect.ts";
import { responds } from "../expect.ts";
import type { Outcome } from "../outcome.ts";

const needs = { needs: ["websocket"] };
const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

/** Creates a handshake with some lines replaced. */
function handshake(lines: Readonly<Record<string, string>> = {}): string {
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
  return `GET /ws HTTP/1.1\r\n${head}\r\n\r\n`;
}

/** Creates a frame. By default, it is a final text frame that is masked with zeros. */
function frame(text: string, first = 0x81, isMasked = true): string {
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
  return {
    name,
    ...needs,
    send: [
      { write: handshake() },
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
];
