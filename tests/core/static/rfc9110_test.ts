import { assertEquals } from "@std/assert";
import { type Ask, overSocket, quiet } from "../../serving.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";
const date = "Sun, 09 Sep 2001 01:46:40 GMT";
const [before, after] = ["Sun, 09 Sep 2001 01:46:39 GMT", "Sun, 09 Sep 2001 01:46:41 GMT"];

/**
 * The request headers, the status, and the body if it is the content of the file. `TAG` is replaced with the entity
 * tag.
 */
type Row = readonly [
  headers: Readonly<Record<string, string>>,
  status: number,
  body?: string | undefined,
  method?: string,
];

const conditions: readonly Row[] = [
  [{}, 200, letters],
  [{}, 200, "", "HEAD"],
  [{}, 405, undefined, "POST"],
  [{}, 405, undefined, "PUT"],
  [{}, 405, undefined, "DELETE"],
  [{}, 204, "", "OPTIONS"],
  [{ "if-match": "TAG" }, 200, letters],
  [{ "if-match": "*" }, 200, letters],
  [{ "if-match": '"x", TAG' }, 200, letters],
  [{ "if-match": '"x,y", TAG' }, 200, letters],
  [{ "if-match": "W/TAG" }, 412],
  [{ "if-match": '"x"' }, 412],
  [{ "if-match": '"x"' }, 412, "", "HEAD"],
  [{ "if-match": '"x"', "if-none-match": "TAG" }, 412],
  [{ "if-match": '"x"', "if-unmodified-since": after }, 412],
  [{ "if-match": "TAG", "if-unmodified-since": before }, 200, letters],
  [{ "if-match": "TAG", "if-none-match": "TAG" }, 304, ""],
  [{ "if-unmodified-since": date }, 200, letters],
  [{ "if-unmodified-since": after }, 200, letters],
  [{ "if-unmodified-since": before }, 412],
  [{ "if-unmodified-since": before }, 412, "", "HEAD"],
  [{ "if-unmodified-since": "9999" }, 200, letters],
  [{ "if-unmodified-since": "nonsense" }, 200, letters],
  [{ "if-none-match": "TAG" }, 304, ""],
  [{ "if-none-match": "TAG" }, 304, "", "HEAD"],
  [{ "if-none-match": "W/TAG" }, 304, ""],
  [{ "if-none-match": "*" }, 304, ""],
  [{ "if-none-match": '"x", TAG' }, 304, ""],
  [{ "if-none-match": '"x"' }, 200, letters],
  [{ "if-none-match": "x" }, 200, letters],
  [{ "if-none-match": '"x"', "if-modified-since": after }, 200, letters],
  [{ "if-none-match": "TAG", "if-modified-since": before }, 304, ""],
  [{ "if-none-match": "TAG", range: "bytes=0-1" }, 304, ""],
  [{ "if-modified-since": date }, 304, ""],
  [{ "if-modified-since": date }, 304, "", "HEAD"],
  [{ "if-modified-since": after }, 304, ""],
  [{ "if-modified-since": before }, 200, letters],
  [{ "if-modified-since": "Sunday, 09-Sep-01 01:46:40 GMT" }, 304, ""],
  [{ "if-modified-since": "Sun Sep  9 01:46:40 2001" }, 304, ""],
  [{ "if-modified-since": "9999" }, 200, letters],
  [{ "if-modified-since": "Sun, 09 Sep 2001 01:46:40 UTC" }, 200, letters],
  [{ "if-modified-since": "2030-01-01" }, 200, letters],
  [{ range: "bytes=0-0" }, 206, "a"],
  [{ range: "bytes=2-4" }, 206, "cde"],
  [{ range: "bytes=23-" }, 206, "xyz"],
  [{ range: "bytes=-2" }, 206, "yz"],
  [{ range: "bytes=-99" }, 206, letters],
  [{ range: "bytes=20-99" }, 206, "uvwxyz"],
  [{ range: "bytes=0-" }, 206, letters],
  [{ range: "BYTES=0-0" }, 206, "a"],
  [{ range: "bytes=0-99999999999999999999" }, 206, letters],
  [{ range: "bytes=0-1,99-" }, 206, "ab"],
  [{ range: "bytes=0-1" }, 200, "", "HEAD"],
  [{ range: "bytes=26-" }, 416],
  [{ range: "bytes=-0" }, 416],
  [{ range: "bytes=99-100,200-" }, 416],
  [{ range: "bytes=4-2" }, 200, letters],
  [{ range: "bytes=" }, 200, letters],
  [{ range: "bytes" }, 200, letters],
  [{ range: "bytes=a-b" }, 200, letters],
  [{ range: "bytes=0-1-2" }, 200, letters],
  [{ range: "bytes=0 - 1" }, 200, letters],
  [{ range: "lines=0-1" }, 200, letters],
  [{ range: "bytes=0-25,0-25" }, 200, letters],
  [{ range: `bytes=${"0-0,".repeat(200)}` }, 200, letters],
  [{ range: "bytes=0-1", "if-range": "TAG" }, 206, "ab"],
  [{ range: "bytes=0-1", "if-range": "W/TAG" }, 200, letters],
  [{ range: "bytes=0-1", "if-range": '"x"' }, 200, letters],
  [{ range: "bytes=0-1", "if-range": date }, 206, "ab"],
  [{ range: "bytes=0-1", "if-range": before }, 200, letters],
  [{ range: "bytes=0-1", "if-range": after }, 200, letters],
  [{ range: "bytes=0-1", "if-range": "9999" }, 200, letters],
  [{ range: "bytes=99-", "if-range": '"x"' }, 200, letters],
  [{ range: "bytes=0-1", "if-match": "TAG" }, 206, "ab"],
  [{ range: "bytes=0-1", "if-match": '"x"' }, 412],
  [{ range: "bytes=0-1", "if-unmodified-since": before }, 412],
  [{ range: "bytes=0-1", "if-none-match": '"x"' }, 206, "ab"],
  [{ range: "bytes=0-1", "if-modified-since": before }, 206, "ab"],
  [{ "if-range": "TAG" }, 200, letters],
  [{ "accept-encoding": "gzip" }, 200, letters],
  [{ "accept-encoding": "identity;q=0" }, 200, letters],
];

/** The headers that each status must not have. */
const unsaid: Readonly<Record<number, readonly string[]>> = {
  200: ["content-range"],
  304: ["content-type", "content-length", "content-range", "last-modified"],
  412: ["etag", "last-modified", "content-range"],
  416: ["etag", "last-modified"],
};

async function check(ask: Ask, tag: string, [headers, status, body, method = "GET"]: Row): Promise<void> {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace("TAG", tag)]));
  const response = await ask("/letters.txt", { method, headers: sent });
  const what = `${method} ${JSON.stringify(headers)}`;
  assertEquals(response.status, status, what);
  if (body !== undefined) assertEquals(response.text, body, what);
  for (const name of unsaid[status] ?? []) assertEquals(response.headers.get(name), null, `${what} says ${name}`);
  if (status === 416) assertEquals(response.headers.get("content-range"), "bytes */26", what);
  if (status === 304 || status === 206 || body === letters) assertEquals(response.headers.get("etag"), tag, what);
  if (status === 200 && method === "HEAD") assertEquals(response.headers.get("content-length"), "26", what);
}

Deno.test(`Party.HandleDir() serves ${conditions.length} requests according to RFC 9110 over a socket`, async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/letters.txt`, letters);
    await Deno.utime(`${folder}/letters.txt`, 1e9, 1e9);
    const app = quiet();
    app.HandleDir("/", folder);
    await overSocket(app, async (ask) => {
      const tag = (await ask("/letters.txt")).headers.get("etag") ?? "";
      for (const row of conditions) await check(ask, tag, row);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
