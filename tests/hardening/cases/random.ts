/** Random combinations of unusual request parts. They must never cause a server error. */

import type { Attack } from "../attack.ts";
import { so } from "../expect.ts";
import type { Outcome, Reply } from "../outcome.ts";
import type { Wire } from "../wire.ts";

/** Routes whose handlers do not pass any input to a header or a view, which might reject it. */
const paths = [
  ..."/ /ping /where /echo /param/ /int/ /float/ /mail/ /staff/ /admin/keys /files/ /file/ /rooted/ /static/".split(
    " ",
  ),
  ..."/static/plain/ /static/sub/ /vault/ /form /readform /query? /readquery? /json /strict /limited /unpacked".split(
    " ",
  ),
  ..."/number /truth /upload?to=random /filename /cookie?name= /session /session/get?key= /page?name= /deep".split(" "),
  ..."/users/ /cors /csrf/transfer /tokens /tokens/transfer /basic /local /cached/page /cached/file /compressed".split(
    " ",
  ),
  ..."/signed/get /sealed/get /logged/ /secure".split(" "),
];
const pieces = [
  ..."%00 %0d%0a %2e %2f .. / // % %zz %ff %c3%a9 %ed%a0%80 %F0%9F%90%AF \\ [ ] { } = & ; + -1 1e999 NaN null".split(
    " ",
  ),
  ..."9999999999999999999 __proto__ constructor ' \" <x> \xe9 \xff ? # @ : * | $ true 2026-02-30 %u0041".split(" "),
  "b".repeat(300),
];
const names = [
  ..."Cookie Content-Type Content-Encoding Range If-Range If-None-Match If-Modified-Since Accept Accept-Encoding".split(
    " ",
  ),
  ..."Accept-Language Origin Sec-Fetch-Site Authorization X-Forwarded-For X-Forwarded-Host Forwarded Cache-Control"
    .split(" "),
  ..."X-CSRF-Token X-Key TE Trailer Via Access-Control-Request-Method X-HTTP-Method-Override X-Request-Id Referer"
    .split(" "),
];
const values = [
  "",
  "*/*",
  "text/html;q=0.9",
  "application/json",
  "multipart/form-data; boundary=x",
  'multipart/form-data; boundary="a\\"b',
  "application/x-www-form-urlencoded; charset=utf-16",
  "gzip",
  "identity;q=0, *;q=0",
  "bytes=-0",
  "bytes=0-0,2-3",
  'W/"',
  "Sun, 99 Foo",
  "https://shop.example",
  "Basic =",
  'for=1.2.3.4;proto=https;host="a,b"',
  "1.1.1.1, ,",
  "max-age=1e9",
  "sid=a; sid=b; role=x.y.z; csrf=aaaaaaaaaaaaaaaaaaaaaa",
  'a="b; c',
  "\x80\xff",
];
const bodies = [
  "",
  "{}",
  '{"__proto__":1}',
  '{"a":',
  "a=b&c=d",
  "%",
  '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
  '--x\r\nContent-Disposition: form-data; name="file"; filename="../a\0b"\r\n\r\nb\r\n--x--\r\n',
  "--x--",
  "\x1f\x8b\x08\0",
  "\xff\xfe\xfd",
  "n=%ff",
];
const methods = ["GET", "GET", "GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "PROPFIND"];
const count = 2_000;

/** A seeded random number generator (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns an integer from 0 up to, but not including, the limit. */
  roll(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  pick(list: readonly string[]): string {
    return list[this.roll(list.length)] ?? "";
  }

  /** Returns several concatenated strings. */
  some(list: readonly string[], most: number): string[] {
    return Array.from({ length: this.roll(most + 1) }, () => this.pick(list));
  }
}

function randomRequest(dice: Dice): string {
  const path = dice.pick(paths) + dice.some(pieces, 3).join("");
  const lines = dice.some(names, 3).map((name) => `${name}: ${dice.pick(values)}${dice.some(pieces, 1).join("")}\r\n`);
  const method = dice.pick(methods);
  const body = ["POST", "PUT", "PATCH", "DELETE"].includes(method) ? dice.pick(bodies) : "";
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}Content-Length: ${body.length}\r\n`;
  return `${head}Connection: close\r\n\r\n${body}`;
}

async function sendRandom(wire: Wire): Promise<Outcome> {
  const dice = new Dice(11);
  const faults: Reply[] = [];
  const requests = Array.from({ length: count }, () => randomRequest(dice));
  async function work(): Promise<void> {
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      const { replies: [reply], end } = await wire.send(request);
      const isFault = reply === undefined ? end === "open" : reply.status >= 500;
      if (isFault) faults.push({ status: reply?.status ?? 0, headers: [], body: request, isWhole: true });
    }
  }
  await Promise.all(Array.from({ length: 4 }, work));
  return { replies: faults, text: "", end: "closed" };
}

/** Random requests. */
export const randomAttacks: readonly Attack[] = [{
  name: `${count.toLocaleString("en")} random requests do not cause a server error`,
  send: sendRandom,
  expect: so("responds to each, and never with 5xx", ({ replies }) => replies.length === 0),
}];
