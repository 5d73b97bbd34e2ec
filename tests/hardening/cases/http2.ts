/** Attacks over HTTP/2: fields that HTTP/1 does not allow, invalid frames, floods. */

import type { Attack, Door, Expectation } from "../attack.ts";
import { all, closes, either, never, says, so, tells } from "../expect.ts";
import {
  ask,
  block,
  data,
  type Fields,
  fieldsOf,
  flags,
  flood,
  frame,
  head,
  int,
  literal,
  preface,
  prefixed,
  resetStatus,
  talk,
  talkRaw,
  types,
} from "../h2.ts";
import type { Outcome } from "../outcome.ts";
import type { Wire } from "../wire.ts";

/** Expects the request to be rejected with a status, a reset, or the end of the connection. */
const refused: Expectation = so("refuses with 4xx or a reset, or closes the connection", ({ replies, end }) => {
  const status = replies[0]?.status ?? 0;
  return (status >= 400 && status < 500) || status === resetStatus || status === 501 ||
    (status === 0 && end !== "open");
});

const kept = all(refused, never());

interface Row {
  readonly name: string;
  readonly advisory?: string;
  readonly frames: string;
  readonly streams?: number;
  readonly expect?: Expectation;
  readonly door?: Door;
}

function withField(name: string, value: string, path = "/ping"): string {
  return ask(1, fieldsOf(path, [[name, value]]));
}

function replaced(name: string, value: string, path = "/public/a"): string {
  return ask(1, fieldsOf(path).map(([key, old]) => [key, key === name ? value : old]));
}

function without(name: string): string {
  return ask(1, fieldsOf("/ping").filter(([key]) => key !== name));
}

const named: Fields = [[":method", "GET"], [":scheme", "https"], [":path", "/public/a"]];

/** Fields that a request must not have. */
const fields: readonly Row[] = [
  {
    name: "A host with a path and no authority does not change the path",
    frames: ask(1, [...named, ["host", "x/inner?"]]),
  },
  { name: "An authority with a path does not move the path", frames: replaced(":authority", "x/inner?") },
  {
    name: "An authority with a user is rejected when it is read",
    frames: replaced(":authority", "user@localhost", "/where"),
  },
  {
    name: "An authority with a space is rejected when it is read",
    frames: replaced(":authority", "local host", "/where"),
  },
  { name: "A path without its slash is rejected", frames: replaced(":path", "inner") },
  { name: "A path with a host in it is refused", frames: replaced(":path", "@evil.com/inner") },
  { name: "An empty path is refused", frames: replaced(":path", "") },
  { name: "A path with a blank in it is refused", frames: replaced(":path", "/public/a HTTP/1.1") },
  { name: "A path with a line break in it is refused", frames: replaced(":path", "/public/a\r\nX-Injected: 1") },
  { name: "A path with a zero byte in it is refused", frames: replaced(":path", "/public\0/a") },
  {
    name: "A method with a line break in it is rejected",
    frames: replaced(":method", "GET /inner HTTP/1.1\r\n\r\nGET"),
  },
  { name: "A method with a blank in it is refused", frames: replaced(":method", "GET /inner") },
  { name: "A scheme with a host in it is refused", frames: replaced(":scheme", "https://evil.com/inner?") },
  { name: "Two paths are refused", frames: withField(":path", "/inner") },
  { name: "Two methods are refused", frames: withField(":method", "POST") },
  { name: "Two authorities are refused", frames: withField(":authority", "evil.com") },
  { name: "A pseudo-field that does not exist is refused", frames: withField(":evil", "1") },
  { name: "A pseudo-field of a response is refused", frames: withField(":status", "200") },
  { name: "A pseudo-field behind a field is refused", frames: ask(1, [["x-a", "b"], ...fieldsOf("/ping")]) },
  { name: "A request without a method is refused", frames: without(":method") },
  { name: "A request without a path is refused", frames: without(":path") },
  { name: "A request without a scheme is refused", frames: without(":scheme") },
  { name: "A field's name in capitals is refused", frames: withField("X-Capital", "1") },
  { name: "A field's name with a line break is refused", frames: withField("x-a\r\nx-injected", "1") },
  { name: "A field's name with a colon is refused", frames: withField("x-a: b", "1") },
  { name: "A field's name with a blank is refused", frames: withField("x a", "1") },
  { name: "An empty field name is refused", frames: withField("", "1") },
  { name: "A field with a line break is refused", frames: withField("x-a", "b\r\nx-injected: 1") },
  { name: "A field with a zero byte is refused", frames: withField("x-a", "b\0c") },
  { name: "A field that names the coding is refused", frames: withField("transfer-encoding", "chunked") },
  { name: "A field that names the connection is refused", frames: withField("connection", "close") },
  { name: "A field of an upgrade is refused", frames: withField("upgrade", "websocket") },
  { name: "A field of the old proxies' connection is refused", frames: withField("proxy-connection", "keep-alive") },
  { name: "A field of codings other than trailers is refused", frames: withField("te", "gzip") },
  { name: "CONNECT does not open a tunnel", frames: ask(1, [[":method", "CONNECT"], [":authority", "evil.com:80"]]) },
  {
    name: "CONNECT with a protocol does not open a tunnel",
    frames: ask(1, [...fieldsOf("/ping", [], "CONNECT"), [":protocol", "websocket"]]),
  },
  {
    name: "Two lengths are rejected",
    frames: head(1, fieldsOf("/echo", [["content-length", "3"], ["content-length", "5"]], "POST")) + data(1, "abc"),
  },
  {
    name: "Less than the declared length is rejected",
    frames: head(1, fieldsOf("/echo", [["content-length", "5"]], "POST")) + data(1, "abc"),
  },
  {
    name: "More than the declared length is rejected",
    frames: head(1, fieldsOf("/echo", [["content-length", "3"]], "POST")) + data(1, "abcde"),
  },
  {
    name: "A length that is not a number is rejected",
    frames: head(1, fieldsOf("/echo", [["content-length", "+3"]], "POST")) + data(1, "abc"),
  },
  {
    name: "A trailer with a pseudo-header has no effect",
    frames: head(1, fieldsOf("/echo", [], "POST")) + data(1, "abc", false) + ask(1, [[":path", "/inner"]]),
    expect: either(kept, says(200, "abc")),
  },
  {
    name: "10,000 fields are rejected",
    frames: long(1, fieldsOf("/ping", Array.from({ length: 10_000 }, (_, i) => [`x-${i}`, "y"] as const))),
  },
  { name: "A field of a megabyte is refused", frames: long(1, fieldsOf("/ping", [["x-a", "y".repeat(1 << 20)]])) },
  {
    name: "A large header that is referenced repeatedly is rejected",
    advisory: "CVE-2016-6581",
    frames: long(
      1,
      [],
      block(fieldsOf("/ping")) + `\x40${literal("x-a")}${literal("y".repeat(3900))}${"\xbe".repeat(60_000)}`,
    ),
  },
];

/** Creates a header that is split into many frames. */
function long(stream: number, list: Fields, whole = block(list)): string {
  let frames = "";
  const size = 16_384;
  for (let at = 0; at < whole.length; at += size) {
    const isLast = at + size >= whole.length;
    const type = at === 0 ? types.headers : types.continuation;
    const flag = (at === 0 ? flags.endStream : 0) | (isLast ? flags.endHeaders : 0);
    frames += frame(type, flag, stream, whole.slice(at, at + size));
  }
  return frames;
}

const open = head(1, fieldsOf("/echo", [], "POST"));

/** Frames that must end the connection or the stream. */
const broken: readonly Row[] = [
  { name: "A frame longer than agreed is refused", frames: open + frame(types.data, 1, 1, "x".repeat(20_000)) },
  { name: "Data without a head is refused", frames: data(1, "abc") },
  { name: "Data on the connection itself is refused", frames: frame(types.data, 1, 0, "abc") },
  { name: "A head on the connection itself is refused", frames: frame(types.headers, 5, 0, block(fieldsOf("/ping"))) },
  { name: "A stream with an even number is refused", frames: ask(2, fieldsOf("/ping")) },
  {
    name: "Headers interrupted by another frame are rejected",
    frames: frame(types.headers, 1, 1, block(fieldsOf("/ping"))) + frame(types.ping, 0, 0, "12345678"),
  },
  { name: "A continuation of nothing is refused", frames: frame(types.continuation, 4, 1, block(fieldsOf("/ping"))) },
  { name: "Settings of a broken length are refused", frames: frame(types.settings, 0, 0, "12345") },
  { name: "Settings on a stream are refused", frames: frame(types.settings, 0, 1) },
  { name: "A ping of a broken length is refused", frames: frame(types.ping, 0, 0, "1234") },
  { name: "A reset of a stream that is idle is refused", frames: frame(types.reset, 0, 1, int(8, 4)) },
  { name: "A window opened by nothing is refused", frames: frame(types.window, 0, 0, int(0, 4)) },
  {
    name: "A window that is too large is rejected",
    frames: frame(types.window, 0, 0, int(2 ** 31 - 1, 4)) + frame(types.window, 0, 0, int(2 ** 31 - 1, 4)),
  },
  { name: "A pushed request is refused", frames: open + frame(types.push, 4, 1, int(2, 4) + block(fieldsOf("/ping"))) },
  { name: "A field that no table has is refused", frames: frame(types.headers, 5, 1, prefixed(9999, 7, 128)) },
  {
    name: "A header table larger than negotiated is rejected",
    frames: frame(types.headers, 5, 1, prefixed(1 << 20, 5, 32) + block(fieldsOf("/ping"))),
  },
  { name: "A number without an end is refused", frames: frame(types.headers, 5, 1, "\xff" + "\xff".repeat(200)) },
  {
    name: "A truncated string is rejected",
    frames: frame(types.headers, 5, 1, `\0${literal("x-a")}${prefixed(5000, 7, 0)}abc`),
  },
  { name: "Padding longer than its frame is refused", frames: open + frame(types.data, 9, 1, "\xffabc") },
];

/** Floods of frames that are cheap for the client and expensive for the server. */
const floods: readonly Row[] = [
  {
    name: "10,000 streams that are reset immediately do not affect other clients",
    advisory: "CVE-2023-44487, CVE-2019-9514",
    frames: many(10_000, (id) => ask(id, fieldsOf("/where")) + frame(types.reset, 0, id, int(8, 4))),
  },
  {
    name: "5,000 streams that the server must reset do not affect other clients",
    advisory: "CVE-2025-8671",
    frames: many(5_000, (id) => head(id, fieldsOf("/echo", [], "POST")) + frame(types.window, 0, id, int(0, 4))),
  },
  {
    name: "20,000 pings do not affect other clients",
    advisory: "CVE-2019-9512",
    frames: many(20_000, () => frame(types.ping, 0, 0, "12345678")),
  },
  {
    name: "20,000 settings do not affect other clients",
    advisory: "CVE-2019-9515",
    frames: many(20_000, () => frame(types.settings, 0, 0)),
  },
  {
    name: "20,000 empty data frames do not affect other clients",
    advisory: "CVE-2019-9518",
    frames: open + many(20_000, () => data(1, "", false)),
  },
  {
    name: "20,000 headers without a name do not affect other clients",
    advisory: "CVE-2019-9516",
    frames: long(1, Array.from({ length: 20_000 }, () => ["", ""] as const)),
  },
  {
    name: "20,000 changes of priority do not affect other clients",
    advisory: "CVE-2019-9513",
    frames: many(20_000, (id) => frame(types.priority, 0, id, int(0, 4) + "\x10")),
  },
  {
    name: "Headers with endless continuations are aborted",
    advisory: "CVE-2024-27316, CVE-2023-45288",
    frames: frame(types.headers, 1, 1, block(fieldsOf("/ping"))) +
      many(400, () => frame(types.continuation, 0, 1, block([["x-a", "y".repeat(8_000)]]))),
    expect: closes(),
  },
  {
    name: "Headers with empty continuations are aborted",
    advisory: "CVE-2024-27316, CVE-2023-45288",
    frames: frame(types.headers, 1, 1, block(fieldsOf("/ping"))) + many(50_000, () => frame(types.continuation, 0, 1)),
  },
  {
    name: "1,000 concurrent endless bodies do not affect other clients",
    frames: many(1_000, (id) => head(id, fieldsOf("/echo", [], "POST")) + data(id, "a", false)),
  },
  {
    name: "500 responses that the client does not read do not affect other clients",
    advisory: "CVE-2019-9511, CVE-2019-9517",
    frames: frame(types.settings, 0, 0, int(4, 2) + int(0, 4)) + many(500, (id) => ask(id, fieldsOf("/where"))),
  },
];

function many(count: number, make: (stream: number) => string): string {
  return Array.from({ length: count }, (_, i) => make(2 * i + 1)).join("");
}

/** Requests a page on another connection after the flood. */
function flooded(frames: string): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    const { end } = await flood(wire, frames);
    return { ...await talk(wire, ask(1, fieldsOf("/ping"))), end };
  };
}

const rows: readonly Attack[] = [
  {
    name: "A valid request is served",
    door: "tls",
    send: (wire) => talk(wire, ask(1, fieldsOf("/ping"))),
    expect: says(200, "pong"),
  },
  {
    name: "A valid body is served",
    door: "tls",
    send: (wire) => talk(wire, open + data(1, "abc")),
    expect: says(200, "abc"),
  },
  ...fields.map((row): Attack => attack(row, kept)),
  ...broken.map((row): Attack => attack(row, either(kept, all(closes(), never())))),
  ...floods.map(({ name, advisory, frames, expect }): Attack => ({
    name,
    ...advisory !== undefined && { advisory },
    door: "tls",
    send: flooded(frames),
    expect: all(says(200, "pong"), expect ?? says(200, "pong")),
  })),
  {
    name: "A guard that compares the path cannot be bypassed with a letter escaped",
    needs: ["guards"],
    door: "tls",
    send: (wire) => talk(wire, ask(1, fieldsOf("/%73taff/keys"))),
    expect: kept,
  },
  {
    name: "A party's guard cannot be bypassed with a doubled slash",
    needs: ["guards"],
    door: "tls",
    send: (wire) => talk(wire, ask(1, fieldsOf("//admin/keys"))),
    expect: kept,
  },
  {
    name: "A file outside the folder is not served",
    needs: ["files"],
    door: "tls",
    send: (wire) => talk(wire, ask(1, fieldsOf("/files/../secret.txt"))),
    expect: kept,
  },
  {
    name: "A body over the limit is rejected",
    needs: ["limits"],
    door: "tls",
    send: (wire) => talk(wire, head(1, fieldsOf("/limited", [], "POST")) + data(1, "x".repeat(1001))),
    expect: refused,
  },
  {
    name: "Cookies in several fields are one list",
    needs: ["cookies"],
    door: "tls",
    send: (wire) => talk(wire, ask(1, fieldsOf("/cookie?name=b", [["cookie", "a=1"], ["cookie", "b=2"]]))),
    expect: tells(200, '"value":"2"'),
  },
  {
    name: "The authority takes precedence over a host field",
    door: "tls",
    send: (wire) => talk(wire, ask(1, fieldsOf("/where", [["host", "evil.com"]]))),
    expect: either(refused, never("evil.com")),
  },
  {
    name: "An invalid preface is rejected",
    door: "tls",
    send: (wire) => talkRaw(wire, `${preface.slice(0, -2)}XX${frame(types.settings, 0, 0)}`),
    expect: closes(),
  },
  {
    name: "HTTP/1.1 is rejected if HTTP/2 was negotiated",
    door: "tls",
    send: (wire) => talkRaw(wire, "GET /inner HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    expect: all(closes(), never()),
  },
  {
    name: "A cleartext preface is served or rejected by the same rules",
    send: (wire) => talk(wire, ask(1, [...named, ["host", "x/inner?"]])),
    expect: kept,
  },
  {
    name: "A stream with a lower number than before is rejected",
    door: "tls",
    send: (wire) => talk(wire, ask(5, fieldsOf("/ping")) + ask(3, fieldsOf("/ping")), 2),
    expect: closes(),
  },
  {
    name: "A second request on a closed stream is rejected",
    door: "tls",
    send: (wire) => talk(wire, ask(1, fieldsOf("/ping")) + ask(1, fieldsOf("/inner")), 2),
    expect: never(),
  },
];

/** All attacks over HTTP/2. */
export const http2Attacks: readonly Attack[] = rows.map((row) => ({ ...row, needs: ["http2", ...row.needs ?? []] }));

function attack({ name, advisory, frames, streams = 1, expect, door = "tls" }: Row, usual: Expectation): Attack {
  return {
    name,
    ...advisory !== undefined && { advisory },
    door,
    send: (wire) => talk(wire, frames, streams),
    expect: expect ?? usual,
  };
}
