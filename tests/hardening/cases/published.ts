/** Attacks on links behind a prefix, and streams that are withheld. */

import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Attack } from "../attack.ts";
import { all, header, never, responds, says } from "../expect.ts";
import type { Outcome } from "../outcome.ts";
import { get } from "../requests.ts";
import { toBytes, type Wire } from "../wire.ts";

/** Prefixes that lead to another site or inject something, if they are copied into links. */
const malicious: readonly (readonly [string, string])[] = [
  ["another host", "//evil.example"],
  ["a backslash and another host", "/\\evil.example"],
  ["a URL", "https://evil.example"],
  ["a scheme without slashes", "javascript:alert(1)"],
  ["an escaped line break", "/a%0d%0aSet-Cookie:%20evil=1"],
  ["an attribute of a cookie", "/a; Domain=evil.example"],
  ["markup", '/"><script>alert(1)</script>'],
  ["dot segments", "/a/../../evil"],
  ["escaped dot segments", "/%2e%2e/evil"],
  ["an escaped slash", "/%2Fevil.example"],
  ["several values", "/a, /evil"],
  ["a query", "/evil?a"],
  ["thousands of characters", `/${"evil".repeat(5000)}`],
];

/** The links of the application at the root of its host. */
const plain = says(200, "/linked/7 http://localhost/linked/7");

const decoders: Readonly<Record<string, () => Transform>> = {
  zstd: createZstdDecompress,
  br: createBrotliDecompress,
  gzip: createGunzip,
  deflate: createInflate,
};

/** Reads the first decoded chunk of a stream whose second chunk is never produced. */
async function firstChunk(wire: Wire, coding: string): Promise<Outcome> {
  using connection = await wire.open();
  const decoder = decoders[coding]?.() as Transform;
  const first = new Promise<string>((resolve) => decoder.once("data", (bytes) => resolve(String(bytes))));
  await connection.write(toBytes(get("/streamed/text", { "Accept-Encoding": coding })));
  let text = "";
  const reading = (async () => {
    const buffer = new Uint8Array(4096);
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      const known = text.length;
      text += String.fromCharCode(...buffer.subarray(0, count));
      const body = text.indexOf("\r\n\r\n") + 4;
      if (body < 4) continue;
      // The chunks are short, so each of them is read as a whole.
      const chunks = text.slice(Math.max(body, known)).matchAll(/[0-9a-f]+\r\n([^]*?)\r\n(?=$|[0-9a-f]+\r\n)/g);
      for (const [, chunk = ""] of chunks) decoder.write(toBytes(chunk));
    }
  })().catch(() => {});
  const { promise: late, resolve: giveUp } = Promise.withResolvers<string>();
  const timer = setTimeout(() => giveUp(""), 5000);
  const body = await Promise.race([first, late]);
  clearTimeout(timer);
  connection.close();
  await reading;
  decoder.destroy();
  return { replies: [{ status: 200, headers: [], body, isWhole: false }], text, end: "open" };
}

/** All attacks by prefix and by withholding. */
export const publishedAttacks: readonly Attack[] = [
  {
    name: "A forged prefix does not change links",
    needs: ["links"],
    send: get("/linked/1", { "X-Forwarded-Prefix": "/evil" }),
    expect: plain,
  },
  {
    name: "A forged prefix does not change redirects",
    needs: ["links"],
    send: get("/linked/go", { "X-Forwarded-Prefix": "/evil" }),
    expect: all(responds(302), header("location", /^\/linked\/7$/)),
  },
  {
    name: "A forged prefix does not change the redirect from a trailing slash",
    needs: ["links"],
    send: get("/linked/1/", { "X-Forwarded-Prefix": "/evil" }),
    expect: all(responds(301), header("location", /^\/linked\/1$/)),
  },
  {
    name: "A forged prefix does not change the path of a cookie",
    needs: ["links"],
    send: get("/linked/cookie", { "X-Forwarded-Prefix": "/evil" }),
    expect: all(responds(200), header("set-cookie", /Path=\/(?:;|$)/)),
  },
  {
    name: "Links behind a trusted prefix stay in the application",
    needs: ["links"],
    door: "trusting",
    send: get("/linked/1", { "X-Forwarded-Prefix": "/seats" }),
    expect: says(200, "/seats/linked/7 http://localhost/seats/linked/7"),
  },
  {
    name: "Redirects behind a trusted prefix stay in the application and its language",
    needs: ["links", "languages"],
    door: "trusting",
    send: get("/el/linked/1/?a=1", { "X-Forwarded-Prefix": "/seats" }),
    expect: all(responds(301), header("location", /^\/seats\/el\/linked\/1\?a=1$/)),
  },
  {
    name: "A redirect from repeated slashes behind a trusted prefix does not leave the host",
    needs: ["links"],
    door: "trusting",
    send: get("//linked//1/", { "X-Forwarded-Prefix": "/seats" }),
    expect: all(responds(301), header("location", /^\/seats\/linked\/1$/)),
  },
  ...malicious.flatMap(([name, value]): Attack[] => [
    {
      name: `A prefix with ${name} from a trusted proxy does not change links`,
      needs: ["links"],
      door: "trusting",
      send: get("/linked/1", { "X-Forwarded-Prefix": value }),
      expect: all(plain, never("evil")),
    },
    {
      name: `A prefix with ${name} from a trusted proxy does not change redirects`,
      needs: ["links"],
      door: "trusting",
      send: get("/linked/go", { "X-Forwarded-Prefix": value }),
      expect: all(responds(302), header("location", /^\/linked\/7$/), never("evil")),
    },
  ]),
];

/** All attacks by withholding. */
export const streamAttacks: readonly Attack[] = Object.keys(decoders).map((coding): Attack => ({
  name: `A stream that is compressed with ${coding} is not withheld until it ends`,
  needs: ["compressed streams"],
  send: (wire) => firstChunk(wire, coding),
  expect: says(200, "first"),
}));
