/** Attacks on sessions and their cookies. */

import type { Attack, Expectation } from "../attack.ts";
import { cookieOf, joined } from "../cookies.ts";
import { all, either, header, never, noFault, noHeader, responds, so, tells } from "../expect.ts";
import { headerOf, headersOf, type Outcome } from "../outcome.ts";
import { get, request } from "../requests.ts";
import type { Wire } from "../wire.ts";

const needs = ["sessions"];

/** Session IDs invented by an attacker. */
const forged: readonly (readonly [string, string])[] = [
  ["made up", "a".repeat(32)],
  ["empty", ""],
  ["of one letter", "1"],
  ["of a path", "../../etc/passwd"],
  ["of a query for a database", "' OR '1'='1"],
  ["of a star", "*"],
  ["of a prototype", "__proto__"],
  ["of a line break, escaped", "a%0d%0aSet-Cookie:b=c"],
  ["of a zero byte, escaped", "a%00"],
  ["of 8,000 letters", "a".repeat(8000)],
  ["of JSON", '{"user":"admin"}'],
  ["in quotes", `"${"a".repeat(32)}"`],
  ["of bytes beyond ASCII", "\xff\xfe\xfd"],
];

async function login(wire: Wire, user: string, headers: Record<string, string> = {}): Promise<Outcome> {
  return await wire.send(get(`/session/login?user=${user}`, headers));
}

async function whoAmI(wire: Wire, ...cookies: string[]): Promise<Outcome> {
  return await wire.send(request("GET", "/session", cookies.map((cookie) => ["Cookie", cookie] as const)));
}

/** Expects the last response to report that no user is logged in. */
const nobody: Expectation = so("takes the visitor for nobody", ({ replies }) => {
  const last = replies.at(-1);
  return last?.status === 200 && last.body.includes('"user":"nobody"');
});

function is(user: string): Expectation {
  return so(
    `takes the visitor for ${user}`,
    ({ replies }) => replies.at(-1)?.body.includes(`"user":"${user}"`) === true,
  );
}

/** All attacks on sessions. */
export const sessionAttacks: readonly Attack[] = [
  ...forged.map(([name, id]): Attack => ({
    name: `A session ID ${name} is not accepted`,
    advisory: "CVE-2024-38513",
    needs,
    send: async (wire) => {
      const first = await wire.send(get("/session/set?key=user&value=attacker", { Cookie: `sid=${id}` }));
      const second = await whoAmI(wire, `sid=${id}`);
      return joined(first, second);
    },
    expect: all(
      nobody,
      so(
        "sends another id, or none",
        ({ replies }) => id === "" || !headerOf(replies[0], "set-cookie").startsWith(`sid=${id};`),
      ),
    ),
  })),
  {
    name: "A login changes the session ID, so a fixated ID is invalid",
    advisory: "CVE-2023-29019",
    needs,
    send: async (wire) => {
      const planted = cookieOf(await wire.send(get("/session/set?key=a&value=b")));
      const victim = await login(wire, "victim", { Cookie: planted });
      return joined(victim, await whoAmI(wire, planted));
    },
    expect: all(responds(200), nobody),
  },
  {
    name: "A logout invalidates the session ID",
    advisory: "CVE-2024-35220",
    needs,
    send: async (wire) => {
      const cookie = cookieOf(await login(wire, "victim"));
      const out = await wire.send(get("/session/logout", { Cookie: cookie }));
      return joined(out, await whoAmI(wire, cookie));
    },
    expect: all(responds(200), nobody),
  },
  {
    name: "A logout removes the cookie",
    needs,
    send: async (wire) => {
      const cookie = cookieOf(await login(wire, "victim"));
      return await wire.send(get("/session/logout", { Cookie: cookie }));
    },
    expect: header("set-cookie", /^sid=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/i),
  },
  {
    name: "A session ID is case-sensitive",
    needs,
    send: async (wire) => {
      const cookie = cookieOf(await login(wire, "victim"));
      const id = cookie.slice(4);
      const other = id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
      return await whoAmI(wire, `sid=${other}`);
    },
    expect: nobody,
  },
  {
    name: "A truncated session ID is invalid",
    needs,
    send: async (wire) => await whoAmI(wire, cookieOf(await login(wire, "victim")).slice(0, -1)),
    expect: nobody,
  },
  {
    name: "A session ID followed by a byte 0xA0 is invalid",
    needs,
    send: async (wire) => await whoAmI(wire, `${cookieOf(await login(wire, "victim"))}\xa0`),
    expect: nobody,
  },
  {
    name: "Two valid session IDs in one header are both rejected",
    needs,
    send: async (wire) => {
      const one = cookieOf(await login(wire, "attacker"));
      const two = cookieOf(await login(wire, "victim"));
      return await whoAmI(wire, `${one}; ${two}`);
    },
    expect: either(nobody, is("attacker")),
  },
  {
    name: "Two valid session IDs in two headers do not select the injected one",
    needs,
    send: async (wire) => {
      const victim = cookieOf(await login(wire, "victim"));
      const attacker = cookieOf(await login(wire, "attacker"));
      return await whoAmI(wire, victim, attacker);
    },
    expect: either(nobody, is("victim")),
  },
  {
    name: "An expired session ID before the valid one does not lock the user out",
    needs,
    send: async (wire) => await whoAmI(wire, `sid=${"a".repeat(32)}; ${cookieOf(await login(wire, "victim"))}`),
    expect: is("victim"),
  },
  {
    name: "A cookie without a name is not the session's",
    advisory: "CVE-2023-23934",
    needs,
    send: async (wire) => await whoAmI(wire, `=${cookieOf(await login(wire, "victim"))}`),
    expect: nobody,
  },
  {
    name: "A cookie whose name is escaped is not the session's",
    advisory: "CVE-2020-8184",
    needs,
    send: async (wire) => await whoAmI(wire, cookieOf(await login(wire, "victim")).replace("sid", "%73id")),
    expect: nobody,
  },
  {
    name: "A cookie whose name is in capitals is not the session's",
    needs,
    send: async (wire) => await whoAmI(wire, cookieOf(await login(wire, "victim")).replace("sid", "SID")),
    expect: nobody,
  },
  {
    name: "A session ID in the query is ignored",
    needs,
    send: async (wire) => await wire.send(get(`/session?${cookieOf(await login(wire, "victim"))}`)),
    expect: nobody,
  },
  {
    name: "The cookie has HttpOnly and SameSite",
    needs,
    send: get("/session/login?user=a"),
    expect: all(header("set-cookie", /HttpOnly/), header("set-cookie", /SameSite=(Lax|Strict)/)),
  },
  {
    name: "The cookie is secure over TLS",
    door: "tls",
    needs,
    send: get("/session/login?user=a"),
    expect: header("set-cookie", /; Secure/),
  },
  {
    name: "The session ID has at least 128 random bits",
    needs,
    send: async (wire) => {
      const outcomes = [];
      for (let i = 0; i < 20; i++) outcomes.push(await login(wire, "a"));
      return joined(...outcomes);
    },
    expect: so("sends 20 ids of 22 letters or more, none alike in their halves", ({ replies }) => {
      const ids = replies.map((reply) => headerOf(reply, "set-cookie").split(";")[0]?.slice(4) ?? "");
      const halves = new Set(ids.map((id) => id.slice(0, id.length / 2)));
      return ids.length === 20 && ids.every((id) => id.length >= 22) && halves.size === 20;
    }),
  },
  {
    name: "A request that does not use its session does not receive a cookie",
    needs,
    send: get("/session"),
    expect: all(responds(200), noHeader("set-cookie")),
  },
  {
    name: "3,000 requests without a cookie do not evict a session",
    needs,
    send: async (wire) => {
      const cookie = cookieOf(await login(wire, "victim"));
      const visits = "GET /session HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
      for (let i = 0; i < 3; i++) await wire.send(visits + get("/session"));
      return await whoAmI(wire, cookie);
    },
    expect: is("victim"),
  },
  {
    name: "A session value is escaped",
    needs,
    send: get("/session/set?key=a&value=%3Cscript%3E"),
    expect: all(responds(200), header("content-type", /^application\/json/)),
  },
  {
    name: "A page with a session cookie cannot be cached by others",
    needs,
    send: get("/session/login?user=a"),
    expect: either(
      header("cache-control", /private|no-store|no-cache/),
      so("sends no public cache header", ({ replies }) => !headerOf(replies[0], "cache-control").includes("public")),
    ),
  },
  {
    name: "A __Host- cookie over plain TCP is not sent, or is secure",
    needs: ["sessions for one host"],
    send: get("/session/hosted"),
    expect: either(noHeader("set-cookie"), header("set-cookie", /^__Host-sid=.*Secure/), responds(500)),
  },
  {
    name: "A __Host- cookie has the path / and no domain",
    door: "tls",
    needs: ["sessions for one host"],
    send: get("/session/hosted"),
    expect: all(
      header("set-cookie", /^__Host-sid=.*Path=\/(;|$)/),
      so("sends no domain", ({ replies }) => !/domain/i.test(headerOf(replies[0], "set-cookie"))),
    ),
  },
  {
    name: "A cookie's name with a byte 0xA0 before it is not a __Host- cookie",
    needs: ["cookies"],
    send: get("/cookie", { Cookie: "\xa0__Host-id=evil" }),
    expect: tells(200, '"value":""'),
  },
  {
    name: "A cookie's name with a byte 0xFF before it is not a __Host- cookie",
    needs: ["cookies"],
    send: get("/cookie", { Cookie: "\xff__Host-id=evil" }),
    expect: tells(200, '"value":""'),
  },
  {
    name: "A cookie's name with a form feed before it is not a __Host- cookie",
    needs: ["cookies"],
    send: get("/cookie", { Cookie: "\x0c__Host-id=evil" }),
    expect: either(responds(400), tells(200, '"value":""')),
  },
  {
    name: "A nameless cookie that looks like a __Host- cookie is ignored",
    advisory: "CVE-2023-23934",
    needs: ["cookies"],
    send: get("/cookie", { Cookie: "=__Host-id=evil" }),
    expect: tells(200, '"value":""'),
  },
  {
    name: "An escaped name of a __Host- cookie is another name",
    advisory: "CVE-2020-8184",
    needs: ["cookies"],
    send: get("/cookie", { Cookie: "%5f%5fHost-id=evil" }),
    expect: tells(200, '"value":""'),
  },
  {
    name: "A name with dots or brackets is not turned into a __Host- cookie",
    advisory: "CVE-2022-31629",
    needs: ["cookies"],
    send: get("/cookie", { Cookie: "..Host-id=evil; __Host[id=evil; __host-id=evil" }),
    expect: tells(200, '"value":""'),
  },
  {
    name: "The first of two cookies with the same name is used",
    needs: ["cookies"],
    send: get("/cookie?name=a", { Cookie: "a=near; a=far" }),
    expect: tells(200, '"value":"near"'),
  },
  {
    name: "A quoted cookie with a semicolon does not hide the next one",
    needs: ["cookies"],
    send: get("/cookie?name=b", { Cookie: 'a="x; b=inside; c="y' }),
    expect: tells(200, '"value":"inside"'),
  },
  {
    name: "A broken escape in a cookie does not cause a server error",
    needs: ["cookies"],
    send: get("/cookie?name=a", { Cookie: "a=%zz%" }),
    expect: all(noFault(), responds(200)),
  },
  {
    name: "A cookie header without a pair does not cause a server error",
    needs: ["cookies"],
    send: get("/cookie?name=a", { Cookie: ";;;=;a;=b;" }),
    expect: all(responds(200), never("=b")),
  },
  {
    name: "Two cookies of a response are sent as two headers",
    needs,
    send: get("/where"),
    expect: so(
      "sends each cookie in a line of its own",
      ({ replies }) => headersOf(replies[0], "set-cookie").every((line) => !line.includes(", ")),
    ),
  },
];
