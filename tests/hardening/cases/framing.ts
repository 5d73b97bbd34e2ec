/** Attacks on framing, which defines where one request ends and the next one begins (RFC 9112, sections 3 to 7). */

import type { Attack } from "../attack.ts";
import {
  all,
  closes,
  either,
  never,
  refuses,
  refusesAndCloses,
  refusesOrCannot,
  responds,
  respondsInTurn,
  smuggled,
} from "../expect.ts";

const hostLine = "Host: localhost\r\n";
/** The request that the attacker hides in the body of another. */
const hidden = `GET /smuggled HTTP/1.1\r\n${hostLine}Connection: close\r\n\r\n`;
const last = `GET /ping HTTP/1.1\r\n${hostLine}Connection: close\r\n\r\n`;

/** Creates a request whose body length is defined by the given lines, followed by a hidden request. */
function post(lines: string, body: string, behind = ""): string {
  return `POST /echo HTTP/1.1\r\n${hostLine}${lines}\r\n${body}${behind}`;
}

const strict = all(refusesAndCloses(), never(smuggled));
const chunked = "Transfer-Encoding: chunked\r\n";
const zero = "0\r\n\r\n";

const lengths: readonly (readonly [string, string, string?])[] = [
  ["two different lengths", "Content-Length: 3\r\nContent-Length: 5\r\n"],
  ["two different lengths in one line", "Content-Length: 3, 5\r\n"],
  ["a length with a sign", "Content-Length: +3\r\n", "CVE-2021-32715"],
  ["a negative length", "Content-Length: -3\r\n"],
  ["a length in hexadecimal", "Content-Length: 0x3\r\n"],
  ["a length with a fraction", "Content-Length: 3.0\r\n"],
  ["a length with a blank in it", "Content-Length: 3 3\r\n"],
  ["an empty length", "Content-Length:\r\n"],
  ["a length beyond 64 bits", `Content-Length: ${"9".repeat(30)}\r\n`],
  ["a blank before the colon of the length", "Content-Length : 3\r\n", "CVE-2021-22959"],
  ["a line folded before the length", "X: y\r\n Content-Length: 3\r\n"],
  ["a header line without a colon", "Content-Length 3\r\n"],
  ["a blank before the name of the length", " Content-Length: 3\r\n", "CVE-2024-27982"],
  ["a zero byte in the length", "Content-Length: 3\0\r\n"],
  ["a vertical tab around the length", "Content-Length: \x0b3\r\n"],
];

const codings: readonly (readonly [string, string, string?])[] = [
  ["a length and chunks", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"],
  ["chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"],
  ["chunks in capitals and a length", "Transfer-Encoding: CHUNKED\r\nContent-Length: 3\r\n", "CVE-2026-23527"],
  [
    "two codings, the last not chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    "CVE-2020-8287",
  ],
  ["chunked and then identity", "Transfer-Encoding: chunked, identity\r\n", "CVE-2022-32215"],
  ["an unknown coding", "Transfer-Encoding: xchunked\r\n", "CVE-2022-32213"],
  ["a blank before the colon of the coding", "Transfer-Encoding : chunked\r\n", "CVE-2019-16869"],
  ["a vertical tab before the coding", "Transfer-Encoding: \x0bchunked\r\n", "CVE-2019-15605"],
  ["a folded coding", "Transfer-Encoding:\r\n chunked\r\n", "CVE-2022-32215"],
  ["a quoted coding", 'Transfer-Encoding: "chunked"\r\n'],
  ["a coding with a parameter", "Transfer-Encoding: chunked;q=1\r\n"],
  ["a coding with a comma before it", "Transfer-Encoding: ,chunked\r\n"],
  ["an empty coding", "Transfer-Encoding:\r\n"],
  ["chunked twice", "Transfer-Encoding: chunked, chunked\r\n", "CVE-2021-21299"],
  ["a zero byte in the coding", "Transfer-Encoding: chunked\0\r\n"],
  ["a coding of another name with an underscore", "Transfer_Encoding: chunked\r\nContent-Length: 0, 1\r\n"],
];

const chunks: readonly (readonly [string, string, string?])[] = [
  ["a size that is not a number", "x\r\nabc\r\n0\r\n\r\n"],
  ["a size with 0x before it", "0x3\r\nabc\r\n0\r\n\r\n"],
  ["a size with a sign", "+3\r\nabc\r\n0\r\n\r\n"],
  ["a negative size", "-3\r\nabc\r\n0\r\n\r\n"],
  ["a size with an underscore", "1_0\r\n0123456789abcdef\r\n0\r\n\r\n"],
  ["a size beyond 64 bits", "10000000000000003\r\nabc\r\n0\r\n\r\n", "CVE-2021-32714"],
  ["an empty size", "\r\nabc\r\n0\r\n\r\n"],
  ["a blank before the size", " 3\r\nabc\r\n0\r\n\r\n"],
  ["no line break behind a chunk", "3\r\nabc0\r\n\r\n"],
  ["two other bytes behind a chunk", "3\r\nabcXX0\r\n\r\n"],
  ["a bare carriage return behind the size", "3\rabc\r\n0\r\n\r\n"],
  ["a bare line feed behind the size", "3\nabc\r\n0\r\n\r\n", "CVE-2025-22871"],
  ["a bare line feed behind a chunk", "3\r\nabc\n0\r\n\r\n"],
  ["a bare line feed in an extension", "3;a\nabc\r\n0\r\n\r\n", "CVE-2025-55315"],
  ["a bare carriage return in an extension", "3;a\rb\r\nabc\r\n0\r\n\r\n", "CVE-2025-55315"],
  ["an extension of 64 KB", `3;${"a".repeat(65536)}\r\nabc\r\n0\r\n\r\n`, "CVE-2024-22019"],
];

/** Request heads that every server should reject. */
const heads: readonly (readonly [string, string, string?])[] = [
  ["no protocol", "GET /ping\r\n\r\n"],
  ["another protocol", `GET /ping HTTQ/1.1\r\n${hostLine}\r\n`],
  ["a protocol in small letters", `GET /ping http/1.1\r\n${hostLine}\r\n`],
  ["HTTP/1.10", `GET /ping HTTP/1.10\r\n${hostLine}\r\n`],
  ["HTTP/2.0 in clear text", `GET /ping HTTP/2.0\r\n${hostLine}\r\n`],
  ["HTTP/9.9", `GET /ping HTTP/9.9\r\n${hostLine}\r\n`],
  ["a blank in the path", `GET /ping x HTTP/1.1\r\n${hostLine}\r\n`],
  ["a zero byte in the path", `GET /pi\0ng HTTP/1.1\r\n${hostLine}\r\n`],
  ["a carriage return in the path", `GET /pi\rng HTTP/1.1\r\n${hostLine}\r\n`],
  ["a method with a colon", `GE:T /ping HTTP/1.1\r\n${hostLine}\r\n`],
  ["a method with a control character", `GE\x01T /ping HTTP/1.1\r\n${hostLine}\r\n`],
  ["a zero byte in a header", `GET /ping HTTP/1.1\r\n${hostLine}X: a\0b\r\n\r\n`],
  ["a control character in a header's name", `GET /ping HTTP/1.1\r\n${hostLine}X\x01: a\r\n\r\n`, "CVE-2021-43797"],
  ["an empty header name", `GET /ping HTTP/1.1\r\n${hostLine}: a\r\n\r\n`],
  ["a folded header", `GET /ping HTTP/1.1\r\n${hostLine}X: a\r\n b\r\n\r\n`],
  ["a bare carriage return in a header", `GET /ping HTTP/1.1\r\n${hostLine}X: a\rY: b\r\n\r\n`, "CVE-2023-30589"],
  [
    "headers ended by a carriage return and a letter",
    `GET /ping HTTP/1.1\r\n${hostLine}X: a\r\n\rX: b\r\n\r\n`,
    "CVE-2025-23167",
  ],
  ["a header before the request line", `X: a\r\nGET /ping HTTP/1.1\r\n${hostLine}\r\n`],
  ["a blank before the first header", `GET /ping HTTP/1.1\r\n ${hostLine}\r\n`],
  ["letters beyond ASCII in a header's name", `GET /ping HTTP/1.1\r\n${hostLine}X\xff: a\r\n\r\n`],
];

/** All attacks by framing. */
export const framingAttacks: readonly Attack[] = [
  ...lengths.map(([name, lines, advisory]): Attack => ({
    name: `${name} is indistinguishable from another request`,
    ...advisory !== undefined && { advisory },
    send: post(lines, "abc", hidden),
    expect: strict,
  })),
  ...codings.map(([name, lines, advisory]): Attack => ({
    name: `${name} is indistinguishable from another request`,
    ...advisory !== undefined && { advisory },
    send: post(lines, zero, hidden),
    expect: all(refusesOrCannot(), closes(), never(smuggled)),
  })),
  ...chunks.map(([name, body, advisory]): Attack => ({
    name: `A chunk with ${name} is rejected`,
    ...advisory !== undefined && { advisory },
    send: post(chunked, body, hidden),
    expect: all(either(refuses(), closes()), never(smuggled)),
  })),
  ...heads.map(([name, head, advisory]): Attack => ({
    name: `A request with ${name} is rejected`,
    ...advisory !== undefined && { advisory },
    send: head,
    expect: either(refuses(), responds(505), responds(501)),
  })),
  {
    name: "Chunks under HTTP/1.0 are rejected",
    send: `POST /echo HTTP/1.0\r\n${hostLine}${chunked}Connection: keep-alive\r\n\r\n${zero}${hidden}`,
    expect: all(refusesOrCannot(), never(smuggled)),
  },
  {
    name: "A GET request's body is not the next request",
    send: `GET /ping HTTP/1.1\r\n${hostLine}Content-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
    expect: all(respondsInTurn(200, 200), never(smuggled)),
  },
  {
    name: "A body that no handler reads is not the next request",
    send: `POST /nowhere HTTP/1.1\r\n${hostLine}Content-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
    expect: all(either(respondsInTurn(404, 200), all(respondsInTurn(404), closes())), never(smuggled)),
  },
  {
    name: "Chunks that no handler reads are not the next request",
    send: `POST /nowhere HTTP/1.1\r\n${hostLine}${chunked}\r\n${
      hidden.length.toString(16)
    }\r\n${hidden}\r\n${zero}${last}`,
    expect: all(either(respondsInTurn(404, 200), all(respondsInTurn(404), closes())), never(smuggled)),
  },
  {
    name: "A body that is rejected because of its length is not the next request",
    needs: ["limits"],
    send: `POST /limited HTTP/1.1\r\n${hostLine}Content-Length: ${2000 + hidden.length}\r\n\r\n${
      "x".repeat(2000)
    }${hidden}${last}`,
    expect: all(either(respondsInTurn(413, 200), all(respondsInTurn(413), closes())), never(smuggled)),
  },
  {
    name: "A body that is rejected because of its type is not the next request",
    needs: ["uploads"],
    send:
      `POST /upload?to=framing HTTP/1.1\r\n${hostLine}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
    expect: all(either(respondsInTurn(400, 200), all(respondsInTurn(400), closes())), never(smuggled)),
  },
  {
    name: "A HEAD request's body is not the next request",
    send: `HEAD /ping HTTP/1.1\r\n${hostLine}Content-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
    expect: never(smuggled),
  },
  {
    name: "A trailer does not change the length of the next request",
    send: post(chunked, `3\r\nabc\r\n0\r\nContent-Length: ${hidden.length}\r\n\r\n`, last),
    expect: either(respondsInTurn(200, 200), refusesAndCloses()),
  },
  {
    name: "A trailer with a line that is not a header is rejected",
    send: post(chunked, "3\r\nabc\r\n0\r\n no header\r\n\r\n", last),
    expect: all(either(refuses(), closes()), never("pong")),
  },
  {
    name: "A list of codings is not truncated at its first comma",
    send: post("Transfer-Encoding: gzip, chunked\r\n", zero, last),
    expect: either(refusesOrCannot(), respondsInTurn(200, 200), respondsInTurn(415, 200)),
  },
  {
    name: "An upgrade to cleartext HTTP/2 is ignored",
    send:
      `GET /ping HTTP/1.1\r\n${hostLine}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n${last}`,
    expect: respondsInTurn(200, 200),
  },
  {
    name: "A body that does not wait for 100 Continue is read once",
    send: `POST /echo HTTP/1.1\r\n${hostLine}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc${last}`,
    expect: respondsInTurn(200, 200),
  },
  {
    name: "A Connection header with Content-Length does not remove it",
    send:
      `POST /echo HTTP/1.1\r\n${hostLine}Connection: Content-Length\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
    expect: either(respondsInTurn(200, 200), refuses()),
  },
  {
    name: "Bare line feeds between headers do not hide one of them",
    send: `POST /echo HTTP/1.1\r\n${hostLine}X: y\nContent-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
    expect: either(refuses(), respondsInTurn(200, 200)),
  },
];
