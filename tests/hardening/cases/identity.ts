/** Attacks on tokens, logins at another server, request IDs, time limits, and rules before the router. */

import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import type { Attack } from "../attack.ts";
import { all, endsWith, header, never, noFault, noHeader, responds, says, secret, so } from "../expect.ts";
import { headerOf } from "../outcome.ts";
import { get, post, request } from "../requests.ts";
import { tokenKey } from "../subject_identity.ts";

const form = "application/x-www-form-urlencoded";

function needing(feature: string, attacks: readonly Attack[]): readonly Attack[] {
  return attacks.map((attack) => ({ ...attack, needs: [feature, ...attack.needs ?? []] }));
}

type Part = Readonly<Record<string, unknown>>;

const now = Math.floor(Date.now() / 1000);
const claims: Part = { sub: "ann", iss: "subject", aud: "attacks", iat: now, exp: now + 3600 };

function encoded(part: unknown): string {
  return new TextEncoder().encode(typeof part === "string" ? part : JSON.stringify(part)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/** Creates a token that is signed with a key by HMAC, regardless of its header. */
function token(payload: unknown, head: Part = {}, key = tokenKey, hash = "sha256"): string {
  const text = `${encoded({ alg: "HS256", typ: "JWT", ...head })}.${encoded(payload)}`;
  return `${text}.${createHmac(hash, key).update(text).digest("base64url")}`;
}

const good = token(claims);
const [goodHead = "", goodClaims = "", goodSignature = ""] = good.split(".");
const own = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Creates a token that is signed with the attacker's own key pair. Its header refers to the key or contains it. */
function ownToken(head: Part): string {
  const text = `${encoded({ alg: "RS256", typ: "JWT", ...head })}.${encoded(claims)}`;
  return `${text}.${sign("sha256", new TextEncoder().encode(text), own.privateKey).toString("base64url")}`;
}

/** Invalid tokens that look similar to valid ones. */
const forged: readonly (readonly [name: string, token: string, advisory?: string])[] = [
  ["without an algorithm", `${encoded({ alg: "none" })}.${goodClaims}.`, "CVE-2015-9235"],
  ["without an algorithm, in other letters", `${encoded({ alg: "nOnE" })}.${goodClaims}.`, "CVE-2022-23540"],
  ["without an algorithm but a signature", `${encoded({ alg: "none" })}.${goodClaims}.${goodSignature}`],
  ["with an empty algorithm", token(claims, { alg: "" })],
  ["without the name of an algorithm", token(claims, { alg: undefined })],
  ["of another algorithm with the same key", token(claims, { alg: "HS512" }, tokenKey, "sha512")],
  ["of a public key's algorithm, signed by HMAC", token(claims, { alg: "RS256" }), "CVE-2016-10555"],
  ["of a key of its own in its header", ownToken({ jwk: own.publicKey.export({ format: "jwk" }) }), "CVE-2018-0114"],
  ["of a key at an address in its header", ownToken({ jku: "https://evil.example/keys.json" })],
  ["of a certificate at an address in its header", ownToken({ x5u: "https://evil.example/cert.pem" })],
  ["of a key that is an empty file", token(claims, { kid: "../../../../dev/null" }, "\0")],
  ["of a key that is asked of a database", token(claims, { kid: "x' UNION SELECT 'a" }, "a")],
  ["signed with another key", token(claims, {}, "another key of the tokens, which is as long as it")],
  ["with other claims", `${goodHead}.${encoded({ ...claims, sub: "root" })}.${goodSignature}`],
  ["without its signature", `${goodHead}.${goodClaims}.`],
  ["with half its signature", good.slice(0, -20)],
  ["with one letter of its signature changed", `${goodHead}.${goodClaims}.${flipped(goodSignature)}`],
  ["in two parts", `${goodHead}.${goodClaims}`],
  ["in four parts", `${good}.x`],
  ["in five parts, as if it were encrypted", `${encoded({ alg: "dir", enc: "A256GCM" })}..AAAA.AAAA.AAAA`],
  ["that has expired", token({ ...claims, exp: now - 3600 })],
  ["that does not expire", token({ ...claims, exp: undefined })],
  ["that expires at a text", token({ ...claims, exp: "never" })],
  ["that expires at infinity", token(JSON.stringify(claims).replace(`${now + 3600}`, "1e999"))],
  ["that is not valid yet", token({ ...claims, nbf: now + 3600 })],
  ["of another issuer", token({ ...claims, iss: "evil" })],
  ["without an issuer", token({ ...claims, iss: undefined })],
  ["for another audience", token({ ...claims, aud: "others" })],
  ["that is critical of what is not known", token(claims, { crit: ["exp", "evil"], evil: true })],
  ["whose claims are a list", token([claims])],
  ["whose claims are a text", token("root")],
  ["whose claims are not JSON", token("{")],
];

function flipped(text: string): string {
  return (text.startsWith("A") ? "B" : "A") + text.slice(1);
}

const unauthorized = all(responds(401), never());

const tokenAttacks = needing("jwt", [
  ...forged.map(([name, each, advisory]): Attack => ({
    name: `A token ${name} is rejected`,
    ...advisory !== undefined && { advisory },
    send: get("/jwt", { Authorization: `Bearer ${each}` }),
    expect: unauthorized,
  })),
  { name: "No token is none", send: get("/jwt"), expect: unauthorized },
  {
    name: "A token in the query is ignored",
    send: get(`/jwt?token=${good}&access_token=${good}`),
    expect: unauthorized,
  },
  {
    name: "A token in a cookie is ignored",
    send: get("/jwt", { Cookie: `token=${good}` }),
    expect: unauthorized,
  },
  {
    name: "A token of another scheme is rejected",
    send: get("/jwt", { Authorization: `Basic ${good}` }),
    expect: unauthorized,
  },
  {
    name: "Two tokens are rejected, even if one is valid",
    send: get("/jwt", [["Authorization", "Bearer x"], ["Authorization", `Bearer ${good}`]]),
    expect: all(responds(400, 401), never()),
  },
  {
    name: "A token of 60 KB is rejected",
    send: get("/jwt", { Authorization: `Bearer ${good}${"A".repeat(60_000)}` }),
    expect: all(noFault(), never()),
  },
  {
    name: "A valid token is accepted",
    send: get("/jwt", { Authorization: `Bearer ${good}` }),
    expect: says(200, secret),
  },
]);

const loginAttacks = needing("oidc", [
  {
    name: "A login that was not started here cannot be completed",
    send: get("/oidc/callback?code=x&state=y"),
    expect: unauthorized,
  },
  { name: "A login without a state cannot be ended", send: get("/oidc/callback?code=x"), expect: unauthorized },
  {
    name: "A login with the state in a custom cookie cannot be completed",
    send: get("/oidc/callback?code=x&state=y", { Cookie: 'oidc=y; fw.oauth.flows=["y"]; state=y' }),
    expect: unauthorized,
  },
  {
    name: "The error description of a provider is not shown",
    send: get("/oidc/callback?error=%3Cscript%3E&error_description=%3Cscript%3Ealert(1)%3C/script%3E&state=y"),
    expect: all(unauthorized, never("<script>")),
  },
  {
    name: "A page that requires a login is not shown to an invalid session",
    send: get("/oidc/home", { Cookie: "oidc=00000000000000000000000000000000" }),
    expect: unauthorized,
  },
  {
    name: "The login only redirects back to this host",
    send: get("/oidc/home//evil.example", { Accept: "text/html" }),
    expect: all(
      responds(302, 303, 404, 301),
      never(),
      so("sends the browser nowhere else", ({ replies }) => {
        const location = headerOf(replies[0], "location");
        return location === "" || /^\/(?!\/|\\)/.test(location);
      }),
    ),
  },
]);

const idAttacks = needing("request ids", [
  ...([
    ["with a line break", "a%0d%0aX-Evil: 1"],
    ["with a quote", 'a"b'],
    ["with a blank", "a b"],
    ["in another script", "a\xe9"],
    ["of 10 KB", "a".repeat(10_000)],
    ["of markup", "<script>"],
    ["that a shell would run", "$(reboot)"],
    ["that a terminal would act on", "a\x1b[31m"],
  ] as const).map(([name, id]): Attack => ({
    name: `The request ID ${name} is not accepted`,
    send: get("/identified", { "X-Request-Id": id }),
    expect: either400(id),
  })),
  {
    name: "A valid request ID is accepted",
    send: get("/identified", { "X-Request-Id": "abc-123" }),
    expect: says(200, "abc-123"),
  },
]);

/** Expects the request to be rejected or to get an ID from the server. */
function either400(id: string): Attack["expect"] {
  return so("refuses the request, or gives it an id of its own", ({ replies }) => {
    const [reply] = replies;
    if (reply?.status === 400) return true;
    return reply?.status === 200 && !reply.body.includes(id) && /^[\w-]{8,64}$/.test(headerOf(reply, "x-request-id"));
  });
}

const timeAttacks = needing("time limit", [
  { name: "A handler that never ends does not hold its client", send: get("/timed/never"), expect: responds(503) },
  {
    name: "A body that a handler writes after its timeout is not sent",
    send: get("/timed/late"),
    expect: all(responds(503), never()),
  },
  {
    name: "A body that a handler writes after its timeout is not sent, even if the request ends later",
    send: get("/slow-end/timeout"),
    expect: all(responds(503), never(), noHeader("set-cookie"), noHeader("x-late")),
  },
  {
    name: "A body that a handler writes after its request has failed is not sent",
    send: get("/slow-end/error"),
    expect: all(responds(500), never(), noHeader("set-cookie"), noHeader("x-late")),
  },
  {
    name: "A body that a handler writes without being awaited is not sent with another response",
    send: get("/slow-end/forgotten"),
    expect: all(says(200, "early"), never(), noHeader("set-cookie"), noHeader("x-late")),
  },
]);

const healthAttacks = needing("health", [
  {
    name: "The cause of a failed health check is not sent to clients",
    send: get("/readyz"),
    expect: all(responds(503), never()),
  },
  {
    name: "The cause of a failed health check is not sent on request",
    send: get("/readyz?verbose=1", { Accept: "text/plain" }),
    expect: never(),
  },
  { name: "A process says that it lives, and no more", send: get("/livez"), expect: all(responds(200), never()) },
]);

const methodAttacks = needing("method override", [
  ...["CONNECT", "TRACE", "GET", "OPTIONS", "PRI * HTTP/2.0", "DELETE\tx", "DELETE, GET", "\xe9"].map((
    method,
  ): Attack => ({
    name: `A form cannot override the method with ${JSON.stringify(method)}`,
    send: request("POST", "/meant", { "X-HTTP-Method-Override": method }, ""),
    expect: so(
      "takes it for a POST, or refuses it",
      ({ replies }) => replies[0]?.body === "posted" || (replies[0]?.status ?? 0) >= 400,
    ),
  })),
  ...["GET", "HEAD"].map((method): Attack => ({
    name: `A ${method} request cannot override its method`,
    send: request(method, "/meant?_method=DELETE", { "X-HTTP-Method-Override": "DELETE" }),
    expect: all(responds(200), never("deleted")),
  })),
  { name: "A link cannot delete", send: get("/meant?_method=DELETE"), expect: says(200, "read") },
  {
    name: "A form that is too long to be read remains a POST request",
    send: post("/meant", form, `a=${"x".repeat(70_000)}&_method=DELETE`),
    expect: all(noFault(), never("deleted")),
  },
  { name: "A form can mean to delete", send: post("/meant", form, "_method=DELETE"), expect: says(200, "deleted") },
]);

const ruleAttacks = needing("rewrite", [
  ...[
    "/evil.example",
    "//evil.example",
    "%2fevil.example",
    "%5cevil.example",
    "\\evil.example",
    "%09/evil.example",
    "%2e%2e//evil.example",
  ]
    .map((rest): Attack => ({
      name: `A redirect rule does not lead to another host with "${rest}"`,
      send: get(`/old/away/${rest}`),
      expect: so("sends the browser nowhere else", ({ replies }) => {
        const location = headerOf(replies[0], "location");
        return (replies[0]?.status ?? 500) < 500 && (location === "" || /^\/(?![/\\])/.test(location));
      }),
    })),
  {
    name: "A redirect rule does not allow header injection",
    send: get("/old/away/x%0d%0aSet-Cookie:%20a=b"),
    expect: all(noFault(), noHeader("set-cookie")),
  },
  ...["x", "../moved-shut/x", "%2e%2e/x", "%2e%2e%2fx", "..%2f..%2fmoved-shut%2fx"].map((rest): Attack => ({
    name: `A rule does not bypass the guard of its target with "${rest}"`,
    send: get(`/old/shut/${rest}`),
    expect: all(noFault(), never()),
  })),
  ...["../moved-shut/x", "..%2fmoved-shut%2fx", "%2e%2e/moved-shut/x"].map((rest): Attack => ({
    name: `A rule does not lead out of its target with "${rest}"`,
    send: get(`/old/in/${rest}`),
    expect: all(noFault(), never()),
  })),
  { name: "A rule leads where it says", send: get("/old/in/a/b"), expect: endsWith(200, "a/b") },
  {
    name: "A redirect rule redirects to its target",
    send: get("/old/away/a/b?c=d"),
    expect: header("location", /^\/a\/b\?c=d$/),
  },
]);

/** All attacks on identity. */
export const identityAttacks: readonly Attack[] = [
  ...tokenAttacks,
  ...loginAttacks,
  ...idAttacks,
  ...timeAttacks,
  ...healthAttacks,
  ...methodAttacks,
  ...ruleAttacks,
];
