/** Attacks with large inputs that a server should reject. */

import { deflateSync, gzipSync } from "node:zlib";
import type { Attack, Expectation } from "../attack.ts";
import { all, closes, either, noFault, refuses, refusesOrCannot, responds, says, so } from "../expect.ts";
import { get, post, postForm, postJSON, request } from "../requests.ts";
import { fromBytes } from "../wire.ts";

const limits = ["limits"];
const packed = fromBytes(gzipSync(new Uint8Array(1000)));
const bomb = fromBytes(gzipSync(new Uint8Array(20_000_000)));

/** Sends a body that claims to be compressed. */
function unpack(coding: string, body: string, path = "/unpacked"): string {
  return post(path, "text/plain", body, { "Content-Encoding": coding });
}

const packedRows: readonly (readonly [string, string, Expectation])[] = [
  ["that unpacks to a thousand times its size is refused by the limit", unpack("gzip", bomb), responds(413)],
  ["that unpacks within the limit is taken", unpack("gzip", packed), says(200, "1000")],
  [
    "packed with deflate that unpacks to a thousand times its size is refused",
    unpack("deflate", fromBytes(deflateSync(new Uint8Array(20_000_000)))),
    responds(413),
  ],
  [
    "that is packed twice is refused",
    unpack("gzip, gzip", fromBytes(gzipSync(gzipSync(new Uint8Array(20_000_000))))),
    responds(400, 415),
  ],
  ["that is not what it says is refused", unpack("gzip", "x".repeat(1000)), responds(400)],
  ["that is cut off is refused", unpack("gzip", packed.slice(0, -9)), responds(400)],
  ["that ends before its first byte is refused", unpack("gzip", ""), responds(400, 200)],
  [
    "with more behind its end is refused or cut there",
    unpack("gzip", `${packed}GET /smuggled`),
    either(responds(400), says(200, "1000")),
  ],
  ["of many packs, one behind the other, is held to the limit", unpack("gzip", bomb.repeat(5)), responds(400, 413)],
  ["packed in a way that is not known is refused", unpack("br", packed), responds(415)],
  ["packed by the name of a prototype is refused", unpack("__proto__", packed), responds(415)],
  ["packed where that is not wanted is refused", unpack("gzip", packed, "/json"), responds(415)],
];

/** All attacks by size. */
export const limitAttacks: readonly Attack[] = [
  ...packedRows.map(([name, send, expect]): Attack => ({
    name: `A body ${name}`,
    needs: ["compressed bodies"],
    send,
    expect,
  })),
  {
    name: "A body with exactly the maximum size is accepted",
    needs: limits,
    send: post("/limited", "text/plain", "x".repeat(1000)),
    expect: says(200, "1000"),
  },
  {
    name: "A body with one byte more than the maximum is rejected",
    needs: limits,
    send: post("/limited", "text/plain", "x".repeat(1001)),
    expect: responds(413),
  },
  {
    name: "A declared length over the limit is rejected before the body arrives",
    needs: limits,
    send: [{ write: "POST /limited HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\n" }, {
      replies: 1,
    }],
    expect: responds(413),
  },
  {
    name: "Chunks over the limit are rejected",
    advisory: "CVE-2025-59139",
    needs: limits,
    send: request(
      "POST",
      "/limited",
      { "Transfer-Encoding": "chunked" },
      `${"100\r\n" + "x".repeat(256) + "\r\n"}`.repeat(5) + "0\r\n\r\n",
    ),
    expect: responds(413),
  },
  {
    name: "Chunks over the limit are rejected although a length under it is declared",
    advisory: "CVE-2025-59139",
    needs: limits,
    send: request(
      "POST",
      "/limited",
      [["Content-Length", "10"], ["Transfer-Encoding", "chunked"]],
      `${"100\r\n" + "x".repeat(256) + "\r\n"}`.repeat(5) + "0\r\n\r\n",
    ),
    expect: refuses(),
  },
  {
    name: "A chunk with a size over the limit is rejected immediately",
    needs: limits,
    send: [{
      write: `POST /limited HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n${
        "x".repeat(5000)
      }`,
    }, { replies: 1 }],
    expect: responds(413),
  },
  {
    name: "A compressed body is not decompressed without a limit",
    needs: limits,
    send: post("/limited", "text/plain", "\x1f\x8b\x08\0\0\0\0\0\0\x03", { "Content-Encoding": "gzip" }),
    expect: responds(200, 400, 415),
  },
  {
    name: "1,001 pairs in a form are rejected",
    advisory: "CVE-2025-13466",
    needs: ["forms"],
    send: postForm("/form", Array.from({ length: 1001 }, (_, i) => `f${i}=1`).join("&")),
    expect: responds(400, 413),
  },
  {
    name: "1,000 pairs in a form are accepted",
    needs: ["forms"],
    send: postForm("/form", Array.from({ length: 1000 }, (_, i) => `f${i}=1`).join("&")),
    expect: responds(200),
  },
  {
    name: "100,000 empty pairs in a form are rejected or ignored",
    needs: ["forms"],
    send: postForm("/form", "&".repeat(100_000)),
    expect: responds(200, 400, 413),
  },
  {
    name: "A urlencoded form of 11 MB is rejected",
    needs: ["forms"],
    send: postForm("/form", `f=${"x".repeat(11 << 20)}`),
    expect: responds(413),
  },
  {
    name: "An endless chunked form is aborted at the limit",
    needs: limits,
    send: [{
      write:
        `POST /limited HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${
          "100\r\n" + "x".repeat(256) + "\r\n"
        }`.repeat(1) + `${"100\r\n" + "x".repeat(256) + "\r\n"}`.repeat(8),
    }, { replies: 1 }],
    expect: responds(413),
  },
  {
    name: "A JSON body of 40 MB is rejected",
    needs: ["json"],
    send: postJSON("/json", `"${"x".repeat(40 << 20)}"`),
    expect: responds(413),
  },
  {
    name: "JSON that is nested 100,000 levels deep does not cause a server error",
    needs: ["json"],
    send: postJSON("/json", "[".repeat(100_000)),
    expect: responds(400),
  },
  {
    name: "Complete JSON that is nested 5,000 levels deep does not cause a server error",
    needs: ["json"],
    send: postJSON("/json", "[".repeat(5_000) + "]".repeat(5_000)),
    expect: responds(200, 400, 413, 422),
  },
  {
    name: "Deep JSON that does not match its schema causes a client error",
    needs: ["json"],
    send: postJSON("/strict", "[".repeat(20_000) + "]".repeat(20_000)),
    expect: responds(400, 413, 422),
  },
  {
    name: "Large JSON that does not match its schema causes a client error",
    needs: ["json"],
    send: postJSON("/strict", JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `v${i}`))),
    expect: responds(400, 413, 422),
  },
  {
    name: "Truncated JSON is rejected",
    needs: ["json"],
    send: postJSON("/json", '{"a":'),
    expect: responds(400),
  },
  {
    name: "JSON with a byte order mark and nothing else is rejected",
    needs: ["json"],
    send: postJSON("/json", "\xef\xbb\xbf"),
    expect: responds(400),
  },
  { name: "An empty JSON body is refused", needs: ["json"], send: postJSON("/json", ""), expect: responds(400) },
  {
    name: "JSON in a text body is rejected",
    needs: ["json"],
    send: post("/json", "text/plain", '{"a":1}'),
    expect: responds(415),
  },
  {
    name: "JSON in a form body is rejected",
    needs: ["json"],
    send: post("/json", "application/x-www-form-urlencoded", '{"a":1}'),
    expect: responds(415),
  },
  {
    name: "JSON in a body without a type is rejected",
    needs: ["json"],
    send: request("POST", "/json", {}, '{"a":1}'),
    expect: responds(415),
  },
  {
    name: "JSON in a body whose type only starts like JSON is rejected",
    needs: ["json"],
    send: post("/json", "application/jsonfoo", '{"a":1}'),
    expect: responds(415),
  },
  {
    name: "JSON in a body whose type contains it as a parameter is rejected",
    advisory: "CVE-2022-41919",
    needs: ["json"],
    send: post("/json", "text/plain; application/json", '{"a":1}'),
    expect: responds(415),
  },
  {
    name: "JSON in a body with a badly quoted type is rejected",
    advisory: "CVE-2022-39288",
    needs: ["json"],
    send: post("/json", '"', '{"a":1}'),
    expect: responds(400, 415),
  },
  {
    name: "JSON in a body whose type has a tab and capitals is accepted",
    advisory: "CVE-2025-32442",
    needs: ["json"],
    send: post("/strict", "application/JSON\t;x", '"text"'),
    expect: responds(400, 415, 422),
  },
  {
    name: "JSON with a +json type is accepted",
    needs: ["json suffix"],
    send: post("/json", "application/vnd.api+json; charset=utf-8", '{"a":1}'),
    expect: responds(200),
  },
  {
    name: "A URL of 100 KB is rejected",
    send: get(`/${"a".repeat(100_000)}`),
    expect: either(refuses(), closes()),
  },
  {
    name: "A list with a very large index in a query is not a list of that length",
    advisory: "CVE-2014-7191",
    send: get("/readquery?a[999999999]=b&a[0]=c"),
    expect: all(responds(200), so("sends a short response", ({ text }) => text.length < 1000)),
  },
  {
    name: "A query of 60 KB does not cause a server error",
    send: get(`/query?${"a=b&".repeat(15_000)}`),
    expect: noFault(),
  },
  {
    name: "A header of 2 MB is rejected",
    send: get("/ping", { X: "y".repeat(2 << 20) }),
    expect: either(refuses(), closes()),
  },
  {
    name: "10,000 headers are rejected",
    advisory: "CVE-2024-37890",
    send: request("GET", "/ping", Array.from({ length: 10_000 }, (_, i) => [`X-${i}`, "y"] as const)),
    expect: either(refuses(), closes()),
  },
  {
    name: "A cookie header of 60 KB does not cause a server error",
    needs: ["cookies"],
    send: get("/cookie", { Cookie: "a=b; ".repeat(12_000) }),
    expect: noFault(),
  },
  {
    name: "1,000 pipelined requests receive their responses in order",
    send: `${"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(999)}${get("/where")}`,
    expect: so(
      "responds 1,000 times, the last the last",
      ({ replies }) => replies.length === 1000 && replies.at(-1)?.body.startsWith("{") === true,
    ),
  },
  {
    name: "An invalid Expect header is rejected or ignored",
    send: request("POST", "/echo", { Expect: "bananas" }, "abc"),
    expect: responds(200, 417),
  },
  { name: "A method of 10 KB is refused", send: request("A".repeat(10_000), "/ping"), expect: refusesOrCannot() },
  {
    name: "Number fields do not accept numbers beyond their type",
    needs: ["typed fields"],
    send: postForm("/number", `n=${"9".repeat(400)}`),
    expect: says(200, '{"value":-1,"failed":true}'),
  },
  {
    name: "Number fields do not accept an exponent",
    needs: ["typed fields"],
    send: postForm("/number", "n=1e3"),
    expect: says(200, '{"value":-1,"failed":true}'),
  },
  {
    name: "Number fields do not accept hexadecimal",
    needs: ["typed fields"],
    send: postForm("/number", "n=0x10"),
    expect: says(200, '{"value":-1,"failed":true}'),
  },
  {
    name: "Number fields do not accept whitespace",
    needs: ["typed fields"],
    send: postForm("/number", "n=+1%200"),
    expect: says(200, '{"value":-1,"failed":true}'),
  },
];
