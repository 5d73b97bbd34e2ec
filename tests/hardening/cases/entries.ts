/** Attacks on middleware: origins, forged forms, passwords, rate limits, addresses, caches, sealed cookies. */

import type { Attack, Expectation } from "../attack.ts";
import { cookieOf, joined } from "../cookies.ts";
import { all, either, header, never, noFault, noHeader, responds, says, secret, so } from "../expect.ts";
import { growing, growsLinearly } from "../growth.ts";
import { headerOf, type Outcome } from "../outcome.ts";
import { get, post, request } from "../requests.ts";
import type { Wire } from "../wire.ts";

const form = "application/x-www-form-urlencoded";

function sum(name: string, ...lists: readonly (readonly Attack[])[]): readonly Attack[] {
  return lists.flat().map((attack) => ({ ...attack, needs: [name, ...attack.needs ?? []] }));
}

/** Origins that are similar to an allowed one. */
const strangers: readonly (readonly [string, string])[] = [
  ["another host", "https://evil.example"],
  ["the host before another", "https://shop.example.evil.example"],
  ["the host behind other letters", "https://evilshop.example"],
  ["the host with a dot read as any letter", "https://shopxexample"],
  ["the host over plain HTTP", "http://shop.example"],
  ["the host at another port", "https://shop.example:8443"],
  ["the host as a user", "https://shop.example@evil.example"],
  ["the host in a path", "https://evil.example/https://shop.example"],
  ["the host in a query", "https://evil.example?.shop.example"],
  ["the host behind a hash", "https://evil.example#.shop.example"],
  ["the host behind a backslash", "https://evil.example\\.shop.example"],
  ["a subdomain behind a slash", "https://evil.example/.shop.example"],
  ["an empty subdomain", "https://.shop.example"],
  ["the host with a dot behind it", "https://shop.example."],
  ["a sandboxed frame", "null"],
  ["two origins", "https://shop.example, https://evil.example"],
  ["two origins and a blank", "https://shop.example https://evil.example"],
  ["the star", "*"],
];

const corsAttacks = sum("cors", [
  ...strangers.map(([name, origin]): Attack => ({
    name: `A page of ${name} cannot read responses`,
    send: get("/cors", { Origin: origin }),
    expect: noHeader("access-control-allow-origin"),
  })),
  {
    name: "A preflight request of another host is rejected",
    send: request("OPTIONS", "/cors", { Origin: "https://evil.example", "Access-Control-Request-Method": "DELETE" }),
    expect: noHeader("access-control-allow-origin"),
  },
  {
    name: "An allowed page receives its own origin and Vary",
    advisory: "CVE-2024-25124",
    send: get("/cors", { Origin: "https://shop.example" }),
    expect: all(header("access-control-allow-origin", /^https:\/\/shop\.example$/), header("vary", /origin/i)),
  },
]);

/** Forms sent by a page on another site, or without an origin. */
const forgeries: readonly (readonly [string, Record<string, string>, string?])[] = [
  ["another site", { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }],
  ["a sibling of this site", { "Sec-Fetch-Site": "same-site", Origin: "http://evil.localhost" }],
  ["another site that an old browser names", { Origin: "http://evil.example" }],
  ["a sandboxed frame", { Origin: "null" }],
  ["this host at another port", { Origin: "http://localhost:8081" }],
  ["a host that begins like this one", { Origin: "http://localhost.evil.example" }],
  ["a host that ends like this one", { Origin: "http://evillocalhost" }],
  ["this host as a user", { Origin: "http://localhost@evil.example" }],
  ["this host in a path", { Origin: "http://evil.example/http://localhost" }],
  ["two sites, one of them this", { "Sec-Fetch-Site": "same-origin, cross-site", Origin: "http://evil.example" }],
  ["a site in other capitals", { "Sec-Fetch-Site": "Same-Origin", Origin: "http://evil.example" }],
];

const formTypes: readonly (readonly [string, Record<string, string>, string])[] = [
  ["whose type is in capitals", { "Content-Type": "Application/X-WWW-Form-Urlencoded" }, "CVE-2024-43787"],
  ["whose type has a parameter", { "Content-Type": "text/plain;application/json" }, "CVE-2022-41919"],
  ["that has no type", {}, "CVE-2024-48913"],
];

const csrfAttacks = sum("csrf", [
  ...forgeries.map(([name, headers]): Attack => ({
    name: `A form of ${name} is rejected`,
    send: post("/csrf/transfer", form, "to=evil", headers),
    expect: responds(403),
  })),
  ...formTypes.map(([name, headers, advisory]): Attack => ({
    name: `A form of another site ${name} is rejected`,
    advisory,
    send: request("POST", "/csrf/transfer", { ...headers, Origin: "http://evil.example" }, "to=evil"),
    expect: responds(403),
  })),
  {
    name: "A form of another site with the method of a safe request in a header is rejected",
    send: post("/csrf/transfer", form, "to=evil", { Origin: "http://evil.example", "X-HTTP-Method-Override": "GET" }),
    expect: responds(403),
  },
  {
    name: "A request of another site with another method is rejected",
    send: request("DELETE", "/csrf/transfer", { Origin: "http://evil.example" }),
    expect: responds(403),
  },
  {
    name: "A form of this site is accepted",
    send: post("/csrf/transfer", form, "to=ann", { Origin: "http://localhost" }),
    expect: says(200, "done"),
  },
]);

/** Fetches a token and its cookie, and sends a form with modified values. */
function withToken(
  change: (token: string, cookie: string) => Record<string, string>,
): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    const asked = await wire.send(get("/tokens"));
    const headers = change(asked.replies[0]?.body ?? "", cookieOf(asked));
    return await wire.send(post("/tokens/transfer", form, "to=evil", headers));
  };
}

const tokenAttacks = sum("csrf tokens", [
  { name: "A form without a token is refused", send: post("/tokens/transfer", form, "to=evil"), expect: responds(403) },
  {
    name: "A form with its token is accepted",
    send: withToken((token, Cookie) => ({ "X-CSRF-Token": token, Cookie })),
    expect: says(200, "done"),
  },
  {
    name: "A token without its cookie is rejected",
    send: withToken((token) => ({ "X-CSRF-Token": token })),
    expect: responds(403),
  },
  {
    name: "A token of another cookie is rejected",
    advisory: "CVE-2023-45128",
    send: withToken((token) => ({ "X-CSRF-Token": token, Cookie: `csrf=${"a".repeat(22)}` })),
    expect: responds(403),
  },
  {
    name: "The cookie itself is not a token",
    advisory: "CVE-2023-45128",
    send: withToken((_token, Cookie) => ({ "X-CSRF-Token": Cookie.slice(5), Cookie })),
    expect: responds(403),
  },
  {
    name: "A token with another signature is rejected",
    send: withToken((token, Cookie) => ({ "X-CSRF-Token": `${token.slice(0, -4)}AAAA`, Cookie })),
    expect: responds(403),
  },
  {
    name: "A token with a changed lifetime is rejected",
    send: withToken((token, Cookie) => ({ "X-CSRF-Token": token.replace(/\.[^.]+\./, ".zzzzzzz."), Cookie })),
    expect: responds(403),
  },
  {
    name: "A token of a page of another site is rejected",
    send: withToken((token, Cookie) => ({ "X-CSRF-Token": token, Cookie, Origin: "https://evil.example" })),
    expect: responds(403),
  },
]);

const credentials: readonly (readonly [string, string])[] = [
  ["without a password", basic("ann")],
  ["with an empty password", basic("ann:")],
  ["with another password", basic("ann:sesam")],
  ["with a longer password", basic("ann:sesame1")],
  ["with the password in capitals", basic("ann:SESAME")],
  ["with the name in capitals", basic("ANN:sesame")],
  ["with a blank behind the name", basic("ann :sesame")],
  ["with a zero byte behind the name", basic("ann\0:sesame")],
  ["with a zero byte behind the password", basic("ann:sesame\0")],
  ["with an empty name", basic(":sesame")],
  ["with the name of a prototype", basic("__proto__:")],
  ["with another scheme", `Bearer ${btoa("ann:sesame")}`],
  ["with the scheme glued to it", `Basic${btoa("ann:sesame")}`],
  ["as plain text", "Basic ann:sesame"],
  ["with broken base64", "Basic !!!!"],
  ["with bytes that are not UTF-8", `Basic ${btoa("ann:\xff\xfe")}`],
  ["of 60 KB", basic(`ann:${"a".repeat(45_000)}`)],
  ["twice", `${basic("ann:x")}, ${basic("ann:sesame")}`],
];

function basic(text: string): string {
  return `Basic ${btoa(text)}`;
}

const asks: Expectation = all(responds(401), never(), header("www-authenticate", /^Basic realm="[^"]*"/));

const passwordAttacks = sum("basic auth", [
  ...credentials.map(([name, Authorization]): Attack => ({
    name: `A password guard is not passed ${name}`,
    send: get("/basic", { Authorization }),
    expect: either(asks, all(responds(400), never())),
  })),
  { name: "A password guard is not passed without anything", send: get("/basic"), expect: asks },
  {
    name: "A password guard cannot be bypassed by HEAD",
    send: request("HEAD", "/basic"),
    expect: all(responds(401), never()),
  },
  {
    name: "A password guard accepts the password",
    send: get("/basic", { Authorization: basic("ann:sesame") }),
    expect: says(200, secret),
  },
]);

const roleAttacks = sum("roles", [
  {
    name: "A role guard rejects users without roles",
    send: get("/roles", { Authorization: basic("ann:sesame") }),
    expect: all(responds(403), never()),
  },
  {
    name: "A role guard rejects a role with a common prefix",
    send: get("/roles", { Authorization: basic("bob:open") }),
    expect: all(responds(403), never()),
  },
  {
    name: "A role guard rejects a role in a header",
    send: get("/roles", { Authorization: basic("ann:sesame"), "X-Role": "admin", "X-User-Roles": "admin" }),
    expect: all(responds(403), never()),
  },
  { name: "A guard of roles is not passed without a login", send: get("/roles"), expect: all(responds(401), never()) },
]);

const rateAttacks: readonly Attack[] = [
  {
    name: "Password attempts are counted, even with forged addresses",
    needs: ["rate limit", "basic auth"],
    send: async (wire) => {
      const outcomes: Outcome[] = [];
      for (let i = 0; i < 5; i++) {
        const headers = {
          Authorization: basic(`ann:${i}`),
          "X-Forwarded-For": `9.9.9.${i}`,
          "X-Real-IP": `9.9.9.${i}`,
        };
        outcomes.push(await wire.send(get("/tried", headers)));
      }
      return joined(...outcomes, await wire.send(get("/tried", { Authorization: basic("ann:sesame") })));
    },
    expect: all(never(), so("responds 429 in the end", ({ replies }) => replies.at(-1)?.status === 429)),
  },
  {
    name: "A rate limit cannot be bypassed with other addresses, hosts, paths or queries",
    needs: ["rate limit"],
    send: async (wire) => {
      const outcomes: Outcome[] = [];
      for (let i = 0; i < 8; i++) {
        const headers = { "X-Forwarded-For": `9.9.9.${i}`, Forwarded: `for=9.9.9.${i}`, Host: `h${i}.localhost` };
        outcomes.push(await wire.send(get(`/rate%64?${i}`, headers)));
      }
      return joined(...outcomes);
    },
    expect: so("responds 429 in the end", ({ replies }) => replies.at(-1)?.status === 429),
  },
  {
    name: "An address that is not allowed is blocked",
    needs: ["ip filter"],
    send: get("/local"),
    expect: all(responds(403), never()),
  },
  {
    name: "An address that is not allowed is blocked, regardless of forged headers",
    needs: ["ip filter"],
    send: get("/local", { "X-Forwarded-For": "10.0.0.1", "X-Real-IP": "10.0.0.1", "Client-IP": "10.0.0.1" }),
    expect: all(responds(403), never()),
  },
  ...["10.0.0.256", "10.1", "010.0.0.1x", "0x0a.0.0.1", "167772161", "10.0.0.1.evil.example", "::ffff:9.9.9.9", ""].map(
    (
      address,
    ): Attack => ({
      name: `The invalid address "${address}" is not allowed behind a trusted proxy`,
      advisory: "CVE-2026-24398",
      door: "trusting",
      needs: ["ip filter"],
      send: get("/local", { "X-Forwarded-For": address }),
      expect: all(responds(403), never()),
    }),
  ),
  {
    name: "A forged address before the client's own is not allowed behind a trusted proxy",
    door: "trusting",
    needs: ["ip filter"],
    send: get("/local", { "X-Forwarded-For": "10.0.0.1, 9.9.9.9" }),
    expect: all(responds(403), never()),
  },
];

/** Sends two requests as different clients and checks whether the second one gets a response meant for the first. */
function twice(path: string, first: Record<string, string>, second: Record<string, string> = {}) {
  return async (wire: Wire): Promise<Outcome> =>
    joined(await wire.send(get(path, first)), await wire.send(get(path, second)));
}

const apart: Expectation = so("makes each response anew", ({ replies }) => {
  const runs = replies.map((reply) => JSON.parse(reply.body).run);
  return runs.length === 2 && runs[0] !== runs[1];
});

const cacheAttacks = sum("cache", [
  {
    name: "A private response is not cached",
    advisory: "CVE-2026-24472",
    send: twice("/cached/private", {}),
    expect: apart,
  },
  { name: "A response with a cookie is not kept for others", send: twice("/cached/cookie", {}), expect: apart },
  {
    name: "A response to a request with a password is not cached",
    send: twice("/cached/who?a", { Authorization: basic("ann:sesame") }),
    expect: apart,
  },
  {
    name: "A response to a request with a cookie is not cached",
    send: twice("/cached/who?b", { Cookie: "who=ann" }),
    expect: apart,
  },
  {
    name: "A cached response is not served to a client with a cookie",
    send: twice("/cached/who?c", {}, { Cookie: "who=ann" }),
    expect: apart,
  },
  {
    name: "A response for another host is not cached for this one",
    send: twice("/cached/page?d", { Host: "evil.example" }),
    expect: all(
      apart,
      so("does not name the other host in the end", ({ replies }) => !replies.at(-1)?.body.includes("evil")),
    ),
  },
  {
    name: "A response for another forwarded host is not cached for this one",
    door: "trusting",
    send: twice("/cached/page?e", { "X-Forwarded-Host": "evil.example" }),
    expect: all(
      apart,
      so("does not name the other host in the end", ({ replies }) => !replies.at(-1)?.body.includes("evil")),
    ),
  },
  {
    name: "A response to headers with another host is not cached for this one",
    send: twice("/cached/page?f", {
      "X-Forwarded-Host": "evil.example",
      "X-Host": "evil.example",
      Forwarded: "host=evil.example",
    }),
    expect: never("evil"),
  },
  {
    name: "A partial file is not cached as the file",
    send: twice("/cached/file", { Range: "bytes=0-2" }),
    expect: so("sends the whole file in the end", ({ replies }) => replies.at(-1)?.body === "0123456789"),
  },
  {
    name: "A 304 response is not cached as an empty file",
    send: async (wire) => {
      const first = await wire.send(get("/cached/file?g"));
      const tag = headerOf(first.replies[0], "etag");
      return joined(
        await wire.send(get("/cached/file?h", { "If-None-Match": tag })),
        await wire.send(get("/cached/file?h")),
      );
    },
    expect: so("sends the whole file in the end", ({ replies }) => replies.at(-1)?.body === "0123456789"),
  },
  {
    name: "A response to an overridden method is not cached as the page",
    send: twice("/cached/page?i", { "X-HTTP-Method-Override": "POST" }),
    expect: all(noFault(), so("responds 200 in the end", ({ replies }) => replies.at(-1)?.status === 200)),
  },
]);

/** Sends a path with a unique marker and returns the log lines for it. */
function logged(mark: string, path: string, method = "GET"): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    await wire.send(request(method, `/logged/${mark}${path}`));
    return await wire.send(get(`/log?mark=${mark}`));
  };
}

const threeLines: Expectation = so("writes three lines, each with its columns", ({ replies }) => {
  const lines = replies[0]?.body.split("\n") ?? [];
  const [json = "", csv = "", text = ""] = lines;
  // deno-lint-ignore no-control-regex -- the expression has to match control characters
  return lines.length === 3 && !/[\x00-\x1f\x7f-\x9f]/.test(lines.join("")) && text.split("|").length === 14 &&
    [...csv.matchAll(/(?:^|,)(?:"(?:[^"]|"")*"|[^,]*)/g)].length === 14 && JSON.parse(json).status !== undefined;
});

const logAttacks = sum("access logs", [
  {
    name: "A line break in a path does not start a log line",
    advisory: "CVE-2025-25184",
    send: logged("m1", "%0d%0aFORGED"),
    expect: threeLines,
  },
  { name: "A bar in a path begins no column of a log", send: logged("m2", "|200|x"), expect: threeLines },
  {
    name: "A quote and a comma in a path do not start a log column",
    send: logged("m3", '",200,"x'),
    expect: threeLines,
  },
  {
    name: "An escape sequence in a path does not reach the terminal",
    send: logged("m4", "%1b%5b2J%c2%9b2J"),
    expect: threeLines,
  },
  {
    name: "A line separator in a path does not start a log line",
    send: logged("m5", "%e2%80%a8%c2%85x"),
    expect: threeLines,
  },
  { name: "A query of line breaks begins no line of a log", send: logged("m6", "?a=%0aFORGED"), expect: threeLines },
  {
    name: "A method is not written as a spreadsheet formula",
    send: logged("m7", "", "+cmd|'calc'!A0"),
    expect: all(threeLines, never(",+cmd")),
  },
]);

const metricAttacks = sum("metrics", [
  {
    name: "Random paths and methods do not create metric series",
    send: async (wire) => {
      for (let i = 0; i < 20; i++) {
        const names = Array.from({ length: 10 }, (_, at) => `m${i}x${at}`);
        const heads = names.map((name) => `${name} /measured/${name} HTTP/1.1\r\nHost: ${name}.example\r\n\r\n`);
        await wire.send(heads.join("") + get(`/measured/a/${i}`));
      }
      return await wire.send(get("/metrics"));
    },
    expect: all(responds(200), so("sends less than 20 KB", ({ text }) => text.length < 20_000), never("m1x1")),
  },
  {
    name: "A path cannot inject lines into the metrics",
    send: async (wire) => {
      await wire.send(get("/measured/%22%7D%201%0aforged%20"));
      return await wire.send(get("/metrics"));
    },
    expect: all(responds(200), never("forged")),
  },
]);

const secureAttacks = sum("secure headers", [
  {
    name: "A page has headers against embedding, sniffing and referrer leaks",
    send: get("/secure"),
    expect: all(
      header("x-content-type-options", /^nosniff$/),
      header("x-frame-options", /^(SAMEORIGIN|DENY)$/),
      header("referrer-policy", /./),
    ),
  },
  {
    name: "An error page has the same headers",
    send: get("/secure/throw"),
    expect: all(responds(500), never(), header("x-content-type-options", /^nosniff$/)),
  },
]);

/** The nonce must be different each time, and the page must contain the nonce of the policy. */
const nonceAttacks: readonly Attack[] = [{
  name: "A nonce is used once",
  needs: ["secure headers", "signed cookies"],
  send: async (wire) => joined(await wire.send(get("/secure")), await wire.send(get("/secure"))),
  expect: so("sends two nonces, each in its page and its policy", ({ replies }) => {
    const nonces = replies.map((reply) => /nonce="([^"]+)"/.exec(reply.body)?.[1] ?? "");
    const isNamed = replies.every((reply, at) =>
      headerOf(reply, "content-security-policy").includes(`'nonce-${nonces[at]}'`)
    );
    return isNamed && nonces[0] !== nonces[1] && nonces.every((nonce) => nonce.length >= 22);
  }),
}];

/** Modifies a cookie that was sealed by the server and returns the value that the server reads. */
function changed(kind: "signed" | "sealed", change: (cookie: string) => string): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    const cookie = cookieOf(await wire.send(get(`/${kind}/set?value=user`)));
    return await wire.send(get(`/${kind}/get`, { Cookie: change(cookie) }));
  };
}

const nothing = says(200, '{"value":""}');

/** Ways to modify a sealed value. All of them must be rejected. */
const changes: readonly (readonly [string, (cookie: string) => string])[] = [
  ["with another value", (cookie) => cookie.replace("user", "admin").replace("=", "=x")],
  ["cut short", (cookie) => cookie.slice(0, -3)],
  [
    "with a letter changed at its end",
    (cookie) => `${cookie.slice(0, -6)}${cookie.at(-6) === "A" ? "B" : "A"}${cookie.slice(-5)}`,
  ],
  ["with more behind it", (cookie) => `${cookie}AAAA`],
  ["without its seal", () => "role=admin"],
  ["with an empty seal", () => "role=admin.."],
  ["with nothing in it", () => "role="],
  ["of dots only", () => "role=..."],
  ["of zeros", () => `role=${"0".repeat(80)}`],
];

const sealAttacks = sum("signed cookies", [
  ...changes.map(([name, change]): Attack => ({
    name: `A signed cookie ${name} is rejected`,
    send: changed("signed", change),
    expect: nothing,
  })),
  ...changes.map(([name, change]): Attack => ({
    name: `An encrypted cookie ${name} is rejected`,
    send: changed("sealed", change),
    expect: nothing,
  })),
  {
    name: "A signed cookie under another name is rejected",
    send: async (wire) => {
      const cookie = cookieOf(await wire.send(get("/signed/set?value=user&name=color")));
      return await wire.send(get("/signed/get", { Cookie: cookie.replace("color=", "role=") }));
    },
    expect: nothing,
  },
  {
    name: "A signed cookie is not an encrypted one",
    send: async (wire) => {
      const cookie = cookieOf(await wire.send(get("/signed/set?value=admin")));
      return await wire.send(get("/sealed/get", { Cookie: cookie }));
    },
    expect: nothing,
  },
  {
    name: "A signed cookie is read as it was sent",
    send: changed("signed", (cookie) => cookie),
    expect: says(200, '{"value":"user"}'),
  },
  {
    name: "An encrypted cookie is read as it was sent",
    send: changed("sealed", (cookie) => cookie),
    expect: says(200, '{"value":"user"}'),
  },
  {
    name: "An encrypted cookie cannot be read by the client",
    send: get("/sealed/set?value=TOP-SECRET"),
    expect: all(responds(200), never()),
  },
]);

/** Headers that make middleware take a long time to parse them. */
const entryBlowups: readonly Attack[] = ([
  [
    "a list of codings",
    ["compress"],
    (n: number) => get("/compressed", { "Accept-Encoding": "gzip;q=0.1,".repeat(n) }),
    1_300,
  ],
  [
    "a coding of blanks",
    ["compress"],
    (n: number) => get("/compressed", { "Accept-Encoding": `gzip;${" ".repeat(n)}q=x` }),
    15_000,
  ],
  [
    "a list of tags of middleware",
    ["compress"],
    (n: number) => get("/compressed", { "If-None-Match": `"a"${" ".repeat(n)}"b"` }),
    15_000,
  ],
  [
    "an origin of labels",
    ["cors"],
    (n: number) => get("/cors", { Origin: `https://${"a.".repeat(n / 2)}shop.example!` }),
    15_000,
  ],
  [
    "an origin of hyphens",
    ["csrf"],
    (n: number) => post("/csrf/transfer", form, "", { Origin: `http://${"-".repeat(n)}` }),
    15_000,
  ],
  [
    "a password of blanks",
    ["basic auth"],
    (n: number) => get("/basic", { Authorization: `Basic ${" ".repeat(n)}!` }),
    15_000,
  ],
  [
    "a password of letters",
    ["basic auth"],
    (n: number) => get("/basic", { Authorization: `Basic ${"A".repeat(n)}!` }),
    15_000,
  ],
  [
    "directives of a cache",
    ["cache"],
    (n: number) => get("/cached/page", { "Cache-Control": "a=b,".repeat(n) }),
    3_700,
  ],
  [
    "a directive of quotes",
    ["cache"],
    (n: number) => get("/cached/page", { "Cache-Control": `a=${'"'.repeat(n)}` }),
    15_000,
  ],
  [
    "a signed cookie of dots",
    ["signed cookies"],
    (n: number) => get("/signed/get", { Cookie: `role=${".".repeat(n)}` }),
    15_000,
  ],
  [
    "a signed cookie many times over",
    ["signed cookies"],
    (n: number) => get("/signed/get", { Cookie: "role=a.b.c;".repeat(n) }),
    1_300,
  ],
  [
    "an encrypted cookie of letters",
    ["signed cookies"],
    (n: number) => get("/sealed/get", { Cookie: `role=${"A".repeat(n)}` }),
    15_000,
  ],
] as const).map(([name, needs, make, size]): Attack => ({
  name: `The time for ${name} is at most linear`,
  needs,
  send: growing(size, make),
  expect: growsLinearly,
}));

/** The attacks on middleware, by group. */
export const entryAttacks: {
  readonly guards: readonly Attack[];
  readonly leaks: readonly Attack[];
  readonly cookies: readonly Attack[];
  readonly blowups: readonly Attack[];
} = {
  guards: [...corsAttacks, ...csrfAttacks, ...tokenAttacks, ...passwordAttacks, ...roleAttacks, ...rateAttacks],
  leaks: [...cacheAttacks, ...logAttacks, ...metricAttacks, ...secureAttacks, ...nonceAttacks],
  cookies: sealAttacks,
  blowups: entryBlowups,
};
