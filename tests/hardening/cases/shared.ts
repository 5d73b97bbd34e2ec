/**
 * Attacks on combinations of features: a cache and the middleware around it, tokens and their families, guards and
 * handshakes.
 */

import type { Attack, Expectation } from "../attack.ts";
import { all, endsWith, header, never, noHeader, responds, says, so } from "../expect.ts";
import { headerOf, headersOf, type Outcome } from "../outcome.ts";
import { boundary, fieldPart, filePart, get, multipart, post, postForm, request } from "../requests.ts";
import type { Wire } from "../wire.ts";

const handshake = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/** Sends requests one after another, each over a separate connection. The outcome contains all responses. */
function inTurn(...requests: readonly string[]): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    const outcomes = [];
    for (const each of requests) outcomes.push(await wire.send(each));
    return joined(outcomes);
  };
}

function joined(outcomes: readonly Outcome[]): Outcome {
  return {
    replies: outcomes.flatMap(({ replies }) => replies),
    text: outcomes.map(({ text }) => text).join("\n"),
    end: outcomes.at(-1)?.end ?? "open",
  };
}

/** Expects two clients to get different values of a header. */
function differs(name: string): Expectation {
  return so(`gives each client a "${name}" of its own`, ({ replies: [one, two] }) => {
    const [first, second] = [headerOf(one, name), headerOf(two, name)];
    return one?.status === 200 && two?.status === 200 && first !== "" && first !== second;
  });
}

const cacheAttacks: readonly Attack[] = [
  ...["X-Request-Id", "Set-Cookie", "Content-Security-Policy"].map((name): Attack => ({
    needs: ["shared cache"],
    name: `A cached response does not contain ${name} of another client`,
    send: inTurn(get(`/shared/page?${name}`), get(`/shared/page?${name}`)),
    expect: differs(name.toLowerCase()),
  })),
  {
    needs: ["rate limited cache"],
    name: "A cached response does not contain RateLimit of another client",
    send: inTurn(get("/shared/page?rate"), get("/shared/page?rate")),
    expect: differs("ratelimit"),
  },
  {
    needs: ["shared cache"],
    name: "A page with a nonce is not served to another client",
    send: inTurn(get("/shared/nonce"), get("/shared/nonce")),
    expect: so(
      "sends pages whose nonces are those of their policies",
      ({ replies }) =>
        replies.length === 2 && replies.every((reply) => {
          const nonce = /nonce="([^"]+)"/.exec(reply.body)?.[1] ?? "-";
          return headerOf(reply, "content-security-policy").includes(nonce);
        }) && replies[0]?.body !== replies[1]?.body,
    ),
  },
  {
    needs: ["cached users"],
    name: "A page for the user of an API key is not served to another user",
    send: inTurn(get("/shared-users", { "X-Api-Key": "ann" }), get("/shared-users", { "X-Api-Key": "bob" })),
    expect: endsWith(200, "hello bob"),
  },
  ...["down", "nonsense"].flatMap((state): Attack[] => [
    {
      needs: ["cache stores"],
      name: `A cache whose store is ${state} serves the page`,
      send: get(`/stored/${state}`),
      expect: all(says(200, "page"), never()),
    },
    {
      needs: ["cache stores"],
      name: `A write behind a cache whose store is ${state} is not reported as failed`,
      send: post(`/stored/${state}`, "text/plain", "x"),
      expect: all(says(200, "done"), never()),
    },
  ]),
  {
    needs: ["cache keys"],
    name: "A request that hangs does not block a cached page for other clients",
    send: async (wire) => {
      using _first = await wire.open();
      await _first.write(new TextEncoder().encode("GET /stored/hangs HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      await wire.send(get("/ping"));
      return await wire.send(get("/stored/hangs"));
    },
    expect: says(200, "page"),
  },
  {
    needs: ["cache keys"],
    name: "1,000 URLs of 50 KB whose pages are not cached are not stored",
    send: async (wire) => {
      const before = await wire.send(get("/memory"));
      for (let i = 0; i < 10; i++) {
        const paths = Array.from({ length: 100 }, (_, at) => `/stored/never?${i}-${at}-${"x".repeat(50_000)}`);
        const heads = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join("");
        await wire.send(heads + get("/ping"));
      }
      const after = await wire.send(get("/memory"));
      return { ...after, figures: [before, after].map((each) => Number(each.replies[0]?.body)) };
    },
    expect: so(
      "keeps less than 30 MB of them",
      ({ figures: [before = NaN, after = NaN] = [] }) => after - before < 30_000_000,
    ),
  },
];

const responseAttacks: readonly Attack[] = [
  {
    needs: ["etags"],
    name: "A 304 response has no Content-Language",
    send: async (wire) => {
      const first = await wire.send(get("/known"));
      return await wire.send(get("/known", { "If-None-Match": headerOf(first.replies[0], "etag") || '"x"' }));
    },
    expect: all(responds(304), noHeader("content-language"), header("etag", /"/)),
  },
  {
    needs: ["etags"],
    name: "A stream is not delayed for its entity tag",
    send: [
      { write: "GET /pieces HTTP/1.1\r\nHost: localhost\r\n\r\n" },
      { text: "first piece" },
      { abort: true },
    ],
    expect: so("sends the first piece before the last", ({ text }) => text.includes("first piece")),
  },
  {
    needs: ["own etags"],
    name: "An entity tag set by the handler is used for its file",
    send: get("/own-tag", { "If-None-Match": '"own"' }),
    expect: all(responds(304), header("etag", /^"own"$/)),
  },
  {
    needs: ["lifetimes"],
    name: "An error is not cached as long as the page",
    send: get("/for-an-hour"),
    expect: all(responds(500), noHeader("cache-control")),
  },
  ...["text/html", "application/json"].map((accept): Attack => ({
    needs: ["error pages by Accept"],
    name: `An error page for ${accept} has Vary`,
    send: get("/nowhere-at-all", { Accept: accept }),
    expect: all(responds(404), header("vary", /\baccept\b/i)),
  })),
];

interface Pair {
  readonly AccessToken: string;
  readonly RefreshToken: string;
}

async function pairFrom(outcome: Promise<Outcome>): Promise<Pair> {
  return JSON.parse((await outcome).replies[0]?.body || "{}");
}

function refresh(wire: Wire, { RefreshToken }: Pair): Promise<Outcome> {
  return wire.send(postForm("/pairs/refresh", `token=${RefreshToken}`));
}

const tokenAttacks: readonly Attack[] = [
  {
    needs: ["token pairs"],
    name: "A refresh token that is used twice ends both logins",
    send: async (wire) => {
      const first = await pairFrom(wire.send(get("/pairs/login")));
      const second = await pairFrom(refresh(wire, first));
      await refresh(wire, first);
      const me = get("/pairs/me", { Authorization: `Bearer ${second.AccessToken}` });
      return joined([await refresh(wire, second), await wire.send(me)]);
    },
    expect: so(
      "responds 401 to both tokens of the thief",
      ({ replies }) => replies.length === 2 && replies.every((reply) => reply.status === 401),
    ),
  },
  {
    needs: ["token pairs"],
    name: "An account that refreshes endlessly does not fill the store",
    send: async (wire) => {
      let pair = await pairFrom(wire.send(get("/pairs/login")));
      for (let turn = 0; turn < 80; turn++) pair = await pairFrom(refresh(wire, pair));
      const other = await pairFrom(wire.send(get("/pairs/login")));
      return await refresh(wire, other);
    },
    expect: responds(200),
  },
  {
    needs: ["jwt types"],
    name: "A token of another type is rejected if a type is required",
    send: async (wire) => {
      const { AccessToken } = await pairFrom(wire.send(get("/pairs/login")));
      return await wire.send(get("/pairs/typed", { Authorization: `Bearer ${AccessToken}` }));
    },
    expect: all(responds(401), never()),
  },
  ...["Bearer a b", "Bearer", "Bearer a,b"].map((value): Attack => ({
    needs: ["jwt types"],
    name: `"${value}" is rejected even if a token is optional`,
    send: get("/pairs/optional", { Authorization: value }),
    expect: responds(401),
  })),
];

const formAttacks: readonly Attack[] = [
  ...["https://evil.example", "null", "http://localhost.evil.example"].map((origin): Attack => ({
    needs: ["csrf"],
    name: `A WebSocket cannot be opened by a page of ${origin}`,
    advisory: "CVE-2023-0957",
    send: get("/csrf/socket", { ...handshake, Origin: origin }),
    expect: all(responds(403), never()),
  })),
  {
    needs: ["csrf multipart"],
    name: "A form with files contains its token as a field",
    send: async (wire) => {
      const [token, cookie] = await tokenAndCookie(wire);
      return await wire.send(withForm(cookie, fieldPart("csrf_token", token), fieldPart("x", "5"), filePart("a.txt")));
    },
    expect: says(200, "done 5"),
  },
  {
    needs: ["csrf multipart"],
    name: "A long form with its token after the files is rejected with an explanation",
    send: async (wire) => {
      const [token, cookie] = await tokenAndCookie(wire);
      return await wire.send(withForm(cookie, filePart("a.txt", "x".repeat(400_000)), fieldPart("csrf_token", token)));
    },
    expect: so(
      "says where the field belongs",
      ({ replies: [reply] }) => reply?.status === 403 && reply.body.includes("must come before the files"),
    ),
  },
  {
    needs: ["csrf multipart"],
    name: "A file is not accepted as a token",
    send: async (wire) => {
      const [token, cookie] = await tokenAndCookie(wire);
      return await wire.send(withForm(cookie, filePart("a.txt", token, "csrf_token")));
    },
    expect: responds(403),
  },
  {
    needs: ["hashed passwords"],
    name: "A name that does not exist takes as long as one that does",
    send: async (wire) => {
      const figures = [];
      for (const name of ["warm-up", "plain", "bcrypt", "unknown"]) figures.push(await workOf(wire, name));
      return { ...await wire.send(get("/ping")), figures: figures.slice(1) };
    },
    expect: so(
      "takes about the same processor time for all names",
      ({ figures = [] }) => figures.length === 3 && Math.max(...figures) < 2.5 * Math.min(...figures),
    ),
  },
];

async function tokenAndCookie(wire: Wire): Promise<[token: string, cookie: string]> {
  const { replies: [reply] } = await wire.send(get("/multipart"));
  return [reply?.body ?? "", headersOf(reply, "set-cookie")[0]?.split(";")[0] ?? ""];
}

function withForm(cookie: string, ...parts: readonly (readonly [string, string])[]): string {
  const headers = { Cookie: cookie, "Content-Type": `multipart/form-data; boundary=${boundary}` };
  return request("POST", "/multipart", headers, multipart(...parts));
}

/** Returns the minimum CPU time of three guesses of a name, in microseconds. */
async function workOf(wire: Wire, name: string): Promise<number> {
  const costs = [];
  for (let guess = 0; guess < 3; guess++) {
    const headers = { Authorization: `Basic ${btoa(`${name}:wrong${guess}`)}` };
    const before = await timeOf(wire);
    await wire.send(get("/hashed", headers));
    costs.push(await timeOf(wire) - before);
  }
  return Math.min(...costs);
}

async function timeOf(wire: Wire): Promise<number> {
  return Number((await wire.send(get("/cpu"))).replies[0]?.body);
}

/** All attacks on combinations of features. */
export const sharedAttacks: readonly Attack[] = [...cacheAttacks, ...tokenAttacks, ...formAttacks];

/** Attacks on the headers that describe responses. */
export const describedAttacks: readonly Attack[] = responseAttacks;
