/**
 * Misbehaving clients: slow, disconnected, half closed, or using another protocol. The server must still serve others
 * afterwards.
 */

import type { Attack } from "../attack.ts";
import { all, closes, either, never, refuses, responds, says, so } from "../expect.ts";
import { joined } from "../cookies.ts";
import type { Outcome } from "../outcome.ts";
import { boundary, filePart, get, multipart, request } from "../requests.ts";
import type { Wire } from "../wire.ts";

const head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n";
/** The client has disconnected. The runner checks after every row that others are still served. */
const survives = so("serves others", () => true);

/** Opens connections that send only the beginning of a request, and requests a page while they wait. */
function whileWaiting(count: number, beginning: string): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    const connections: Deno.Conn[] = [];
    try {
      for (let i = 0; i < count; i++) {
        const connection = await wire.open();
        connections.push(connection);
        await connection.write(new TextEncoder().encode(beginning));
      }
      return await wire.send(get("/ping"));
    } finally {
      for (const connection of connections) connection.close();
    }
  };
}

const garbage: readonly (readonly [string, string])[] = [
  ["a greeting of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["zero bytes", "\0".repeat(2000)],
  ["random bytes", Array.from({ length: 2000 }, (_, i) => String.fromCharCode((i * 7919 + 13) % 256)).join("")],
  ["line breaks only", "\r\n".repeat(5000)],
  ["an SSH greeting", "SSH-2.0-OpenSSH_9.0\r\n"],
  ["SMTP", "EHLO evil.com\r\n"],
  ["a line of Redis", "*1\r\n$4\r\nPING\r\n"],
  ["the greeting of HTTP/2 cut off", "PRI * HTTP/2.0\r\n\r\nSM"],
  ["a PROXY line", `PROXY TCP4 9.9.9.9 9.9.9.9 1 1\r\n${get("/ping")}`],
];

/** All attacks by bad clients. */
export const clientAttacks: readonly Attack[] = [
  ...garbage.map(([name, bytes]): Attack => ({
    name: `${name} instead of HTTP is rejected`,
    send: [{ write: bytes }, { wait: 100 }, { half: true }],
    expect: either(refuses(), closes()),
  })),
  {
    name: "A client that disconnects before its headers are complete is forgotten",
    send: [{ write: "GET /ping HT" }, { abort: true }],
    expect: survives,
  },
  {
    name: "A client that disconnects before its body is complete is forgotten",
    send: [{ write: `${head}abc` }, { abort: true }],
    expect: survives,
  },
  {
    name: "A client that disconnects inside a chunk is forgotten",
    send: [{ write: "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc" }, {
      abort: true,
    }],
    expect: survives,
  },
  {
    name: "A client that disconnects during an upload leaves no file",
    needs: ["uploads"],
    send: async (wire) => {
      const body = multipart(filePart("a.txt", "x".repeat(600_000)));
      const sent = request(
        "POST",
        "/upload?to=gone",
        { "Content-Type": `multipart/form-data; boundary=${boundary}` },
        body,
      );
      await wire.steps([{ write: sent.slice(0, 500_000) }, { wait: 200 }, { abort: true }]);
      let listed = await wire.send(get("/tree?to=gone"));
      // The server notices that the client has disconnected when it next reads. Until then, the partial file exists.
      for (let i = 0; i < 400 && listed.replies[0]?.body !== "[]"; i++) {
        await wire.steps([{ wait: 100 }, { abort: true }]);
        listed = await wire.send(get("/tree?to=gone"));
      }
      return listed;
    },
    expect: says(200, "[]"),
  },
  {
    name: "A truncated body is not complete",
    send: [{ write: `${head}abc` }, { wait: 50 }, { half: true }],
    expect: all(either(refuses(), closes()), never("abc")),
  },
  {
    name: "Truncated chunks are not a complete body",
    send: [{ write: "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n" }, {
      wait: 50,
    }, { half: true }],
    expect: all(either(refuses(), closes()), never("abc")),
  },
  {
    name: "A truncated form is not an empty form",
    needs: ["forms"],
    send: [
      {
        write:
          "POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na=b",
      },
      { wait: 50 },
      { half: true },
    ],
    expect: either(refuses(), closes()),
  },
  {
    name: "Headers that arrive byte by byte are read",
    send: [...get("/ping")].map((write) => ({ write })),
    expect: says(200, "pong"),
  },
  {
    name: "A body that arrives byte by byte is read",
    send: [...request("POST", "/echo", {}, "abcdef")].map((write) => ({ write })),
    expect: says(200, "abcdef"),
  },
  {
    name: "A client that sends a request and closes its side does not affect other clients",
    send: [{ write: get("/ping") }, { half: true }],
    expect: survives,
  },
  {
    name: "A client that sends a request and disconnects does not affect other clients",
    send: [{ write: get("/ping") }, { abort: true }],
    expect: survives,
  },
  {
    name: "A client that requests a file and disconnects does not affect other clients",
    needs: ["files"],
    send: [{ write: get("/files/a.txt") }, { abort: true }],
    expect: survives,
  },
  {
    name: "200 silent connections do not affect other clients",
    advisory: "CVE-2007-6750",
    send: whileWaiting(200, ""),
    expect: says(200, "pong"),
  },
  {
    name: "200 endless headers do not affect other clients",
    advisory: "CVE-2007-6750",
    send: whileWaiting(200, "GET /ping HTTP/1.1\r\nX-a: b\r\n"),
    expect: says(200, "pong"),
  },
  {
    name: "200 endless bodies do not affect other clients",
    send: whileWaiting(200, `${head}a`),
    expect: says(200, "pong"),
  },
  {
    name: "200 clients that disconnect after their request do not affect other clients",
    send: async (wire) => {
      await Promise.all(Array.from({ length: 200 }, () => wire.steps([{ write: get("/where") }, { abort: true }])));
      return await wire.send(get("/ping"));
    },
    expect: says(200, "pong"),
  },
  {
    name: "A client that does not read its responses does not affect other clients",
    send: async (wire) => {
      const connection = await wire.open();
      try {
        const many = new TextEncoder().encode("GET /where HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2000));
        const writing = connection.write(many).catch(() => 0);
        const asked = await wire.send(get("/ping"));
        await writing;
        return asked;
      } finally {
        connection.close();
      }
    },
    expect: says(200, "pong"),
  },
  {
    name: "A request after a rejected one on the same connection is not served",
    send: `GET /pi ng HTTP/1.1\r\nHost: localhost\r\n\r\n${get("/smuggled")}`,
    expect: all(refuses(), closes(), never("SMUGGLED")),
  },
  {
    name: "Empty lines before a request are skipped or rejected",
    send: `\r\n\r\n${get("/ping")}`,
    expect: either(says(200, "pong"), refuses()),
  },
  {
    name: "Bytes after the declared length are treated as the next request and rejected",
    send: "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabcdef\r\n\r\n",
    expect: so(
      "serves the first and refuses the rest",
      ({ replies, end }) =>
        replies[0]?.body === "abc" && end !== "open" && (replies[1] === undefined || replies[1].status >= 400),
    ),
  },
  {
    name: "Endless headers are aborted",
    advisory: "CVE-2007-6750",
    door: "impatient",
    send: [{ write: "GET /ping HTTP/1.1\r\nX-a: b" }, { wait: 1_500 }, { write: "c" }, { wait: 1_500 }, {
      abort: true,
    }],
    expect: closes(),
  },
  {
    name: "An idle connection is closed",
    door: "impatient",
    send: [{ wait: 3_000 }, { abort: true }],
    expect: closes(),
  },
  ...[["a large file", ""], ["a long range", "range: bytes=0-99999999\r\n"]].map(([what, range]): Attack => ({
    needs: ["large files"],
    name: `200 clients that do not read ${what} cost less than 100 MB`,
    send: async (wire) => {
      const before = await wire.send(get("/rss"));
      const readers = await Promise.all(Array.from({ length: 200 }, () => wire.open()));
      const head = new TextEncoder().encode(`GET /large HTTP/1.1\r\nHost: localhost\r\n${range}\r\n`);
      for (const reader of readers) {
        await reader.write(head);
        await reader.read(new Uint8Array(100));
      }
      const after = await wire.send(get("/rss"));
      for (const reader of readers) reader.close();
      return { ...after, figures: [before, after].map((each) => Number(each.replies[0]?.body)) };
    },
    expect: so(
      "uses less than 100 MB",
      ({ figures: [before = NaN, after = NaN] = [] }) => after - before < 100_000_000,
    ),
  })),
  {
    name: "A body slower than the minimum rate is aborted",
    door: "impatient",
    send: [{ write: `${head}a` }, { wait: 300 }, { write: "b" }, { wait: 300 }, { write: "c" }, { replies: 1 }],
    expect: either(responds(408), all(closes(), so("sends no 200", ({ replies }) => replies[0]?.status !== 200))),
  },
  {
    name: "A form slower than the minimum rate is aborted",
    door: "impatient",
    send: [
      {
        write:
          "POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na=",
      },
      { wait: 300 },
      { write: "b" },
      { replies: 1 },
    ],
    expect: either(responds(408), all(closes(), so("sends no 200", ({ replies }) => replies[0]?.status !== 200))),
  },
  {
    name: "A slow upload leaves no file",
    door: "impatient",
    needs: ["uploads"],
    send: async (wire) => {
      const body = multipart(filePart("a.txt", "x".repeat(600_000)));
      const sent = request(
        "POST",
        "/upload?to=slow",
        { "Content-Type": `multipart/form-data; boundary=${boundary}` },
        body,
      );
      const cut = await wire.steps([{ write: sent.slice(0, 400_000) }, { replies: 1 }]);
      return joined(cut, await wire.send(get("/tree?to=slow")));
    },
    expect: so(
      "cuts it off and leaves nothing",
      ({ replies }) => replies[0]?.status !== 200 && replies.at(-1)?.body === "[]",
    ),
  },
];
