/** Attacks with the host and forwarding headers. */

import type { Attack } from "../attack.ts";
import { all, either, header, never, noFault, refuses, responds, says, so, tells } from "../expect.ts";
import { headerOf } from "../outcome.ts";
import { get, request } from "../requests.ts";

/** A proxy forbids `/inner` and allows `/public/a`. The host must not turn one into the other. */
const movers: readonly (readonly [string, string])[] = [
  ["a path and a question mark", "x/inner?"],
  ["a path and a hash", "x/inner#"],
  ["a path and an escaped question mark", "x/inner%3f"],
  ["a path with a final slash", "x/inner/"],
  ["a path and dots back", "x/inner/../.."],
  ["a user and a path", "user@x/inner?"],
  ["a port and a path", "x:80/inner?"],
  ["a backslash", "x\\inner?"],
  ["a question mark alone", "x?"],
  ["a hash alone", "x#"],
  ["a tab before the path", "x\t/inner?"],
];

const malformed: readonly (readonly [string, string, string?])[] = [
  ["a blank in it", "local host"],
  ["a user in it", "user@localhost"],
  ["an angle bracket", "<script>"],
  ["a quote", 'local"host'],
  ["two names and a comma", "localhost, evil.com"],
  ["a caret", "local^host"],
  ["a brace", "{localhost}"],
];

function where(name: string, value: (seen: Record<string, string>) => boolean) {
  return so(name, ({ replies }) => {
    const reply = replies[0];
    return reply?.status === 200 && value(JSON.parse(reply.body));
  });
}

/** All attacks by host and forwarding. */
export const hostAttacks: readonly Attack[] = [
  ...movers.map(([name, host]): Attack => ({
    name: `A host with ${name} does not change the path`,
    send: get("/public/a", { Host: host }),
    expect: all(either(responds(400), says(200, "public")), never()),
  })),
  ...malformed.map(([name, host]): Attack => ({
    name: `A host with ${name} is rejected when it is read`,
    send: get("/where", { Host: host }),
    expect: responds(400),
  })),
  {
    name: "A host with non-ASCII bytes is rejected or ignored",
    send: get("/where", { Host: "localh\xf6st" }),
    expect: all(noFault(), never("localh\xf6st"), never("localh\xc3\xb6st")),
  },
  {
    name: "Two hosts are rejected",
    send: request("GET", "/ping", [["Host", "localhost"], ["Host", "evil.com"]]),
    expect: refuses(),
  },
  {
    name: "HTTP/1.1 without a host is rejected",
    send: "GET /ping HTTP/1.1\r\nConnection: close\r\n\r\n",
    expect: refuses(),
  },
  {
    name: "An absolute URL in the request line takes precedence over the Host header",
    send: get("http://target.example/where", { Host: "evil.com" }),
    expect: either(refuses(), all(responds(200), never("evil.com"))),
  },
  {
    name: "An absolute URL with a user does not change the host",
    send: get("http://localhost@evil.com/where"),
    expect: either(refuses(), where("names the host behind the user, or none", (seen) => !seen.host?.includes("@"))),
  },
  ...[
    "http://localhost?/../inner",
    "http:///inner",
    "http:/inner",
    "http:inner",
    "http://localhost?/inner",
    "http://localhost#/inner",
  ].map((
    address,
  ): Attack => ({
    name: `The absolute URL "${address}" does not lead to another path`,
    advisory: "CVE-2025-58362",
    send: get(address),
    expect: all(noFault(), never()),
  })),
  {
    name: "An absolute https URL over plain TCP does not make cookies secure",
    needs: ["cookies"],
    send: get("https://localhost/where"),
    expect: either(refuses(), all(responds(200), header("set-cookie", /^place=here(?!.*Secure)/))),
  },
  {
    name: "An absolute URL with another scheme is rejected or treated as a path",
    send: get("ftp://localhost/inner"),
    expect: noFault(),
  },
  {
    name: "The path of an absolute URL is not repeated",
    send: get("http://localhost//where"),
    expect: either(refuses(), responds(301, 308), where("means one slash", (seen) => seen.path === "/where")),
  },
  {
    name: "A path with two leading slashes does not contain a host",
    send: get("//where"),
    expect: either(refuses(), responds(301, 308), where("keeps its host", (seen) => seen.host === "localhost")),
  },
  {
    name: "CONNECT does not open a tunnel",
    send: request("CONNECT", "evil.com:80"),
    expect: refuses(),
  },
  {
    name: "A forwarded address is ignored without a trusted proxy",
    advisory: "CVE-2020-28483",
    send: get("/where", { "X-Forwarded-For": "9.9.9.9", "X-Real-IP": "9.9.9.9", "Forwarded": "for=9.9.9.9" }),
    expect: all(responds(200), never("9.9.9.9")),
  },
  {
    name: "A forwarded host is ignored without a trusted proxy",
    advisory: "CVE-2024-21510",
    send: get("/where", { "X-Forwarded-Host": "evil.com" }),
    expect: all(responds(200), never("evil.com")),
  },
  {
    name: "A forwarded scheme is ignored without a trusted proxy",
    needs: ["cookies"],
    send: get("/where", { "X-Forwarded-Proto": "https", "X-Forwarded-Ssl": "on", "Front-End-Https": "on" }),
    expect: all(responds(200), header("set-cookie", /^place=here(?!.*Secure)/)),
  },
  {
    name: "Behind a trusted proxy, the last untrusted address is used, not the first",
    door: "trusting",
    send: get("/where", { "X-Forwarded-For": "1.1.1.1, 9.9.9.9" }),
    expect: tells(200, '"address":"9.9.9.9"'),
  },
  {
    name: "Behind a trusted proxy, an invalid address is ignored",
    door: "trusting",
    send: get("/where", { "X-Forwarded-For": "<script>" }),
    expect: all(responds(200), never("<script>")),
  },
  {
    name: "Behind a trusted proxy, an address followed by a script is ignored",
    door: "trusting",
    send: get("/where", { "X-Forwarded-For": "9.9.9.9<script>" }),
    expect: all(responds(200), never("<script>")),
  },
  {
    name: "Behind a trusted proxy, two header lines are one list",
    door: "trusting",
    send: request("GET", "/where", [["X-Forwarded-For", "1.1.1.1"], ["X-Forwarded-For", "9.9.9.9"]]),
    expect: tells(200, '"address":"9.9.9.9"'),
  },
  {
    name: "Behind a trusted proxy, a forwarded host with a path is rejected",
    door: "trusting",
    send: get("/where", { "X-Forwarded-Host": "evil.com/inner?" }),
    expect: either(responds(400), all(responds(200), never("/inner"))),
  },
  {
    name: "Behind a trusted proxy, a forwarded host with a script is rejected",
    door: "trusting",
    send: get("/where", { "X-Forwarded-Host": '"><script>' }),
    expect: either(responds(400), all(responds(200), never("<script>"))),
  },
  {
    name: "Behind a trusted proxy, the forwarded scheme makes cookies secure",
    door: "trusting",
    needs: ["cookies"],
    send: get("/where", { "X-Forwarded-Proto": "https" }),
    expect: all(responds(200), header("set-cookie", /^place=here.*Secure/)),
  },
  {
    name: "Behind a trusted proxy, an invalid forwarded scheme is ignored",
    door: "trusting",
    needs: ["cookies"],
    send: get("/where", { "X-Forwarded-Proto": "javascript" }),
    expect: either(responds(400), header("set-cookie", /^place=here(?!.*Secure)/)),
  },
  {
    name: "A host with a trailing dot is the same host",
    needs: ["subdomains"],
    send: get("/", { Host: "admin.example.com." }),
    expect: tells(200, "subdomain admin"),
  },
  {
    name: "A root domain with a trailing dot is still the root domain",
    needs: ["subdomains"],
    send: get("/where", { Host: "example.com." }),
    expect: where("finds no subdomain", (seen) => seen.subdomain === ""),
  },
  {
    name: "A host in capitals is the same host",
    needs: ["subdomains"],
    send: get("/", { Host: "ADMIN.Example.COM" }),
    expect: tells(200, "subdomain admin"),
  },
  {
    name: "A host that only starts with the letters of a subdomain is another host",
    needs: ["subdomains"],
    send: get("/", { Host: "administrator.example.com" }),
    expect: never("subdomain admin"),
  },
  {
    name: "An address with a subdomain's name in its port is not a subdomain",
    needs: ["subdomains"],
    send: get("/", { Host: "127.0.0.1:admin" }),
    expect: never("subdomain admin"),
  },
  {
    name: "A host with an invalid port does not cause a server error",
    send: get("/where", { Host: "localhost:99999999" }),
    expect: noFault(),
  },
  {
    name: "A host of 60 KB does not cause a server error",
    send: get("/where", { Host: "a".repeat(60_000) }),
    expect: either(refuses(), noFault()),
  },
  {
    name: "A host that is an open bracket does not cause a server error",
    send: get("/where", { Host: "[" }),
    expect: either(refuses(), noFault()),
  },
  {
    name: "A redirect of a trailing slash does not use the Host header",
    send: get("/ping/", { Host: "evil.com" }),
    expect: either(
      refuses(),
      so(
        "redirects to a path or not at all",
        ({ replies }) => ["", "/ping"].includes(headerOf(replies[0], "location")),
      ),
    ),
  },
  {
    name: "A header that overrides the path is ignored",
    advisory: "CVE-2018-14773",
    send: get("/public/a", { "X-Original-URL": "/inner", "X-Rewrite-URL": "/inner" }),
    expect: all(responds(200), never()),
  },
  {
    name: "A header that overrides the prefix is ignored",
    advisory: "CVE-2023-26125",
    send: get("/ping/", { "X-Forwarded-Prefix": "//evil.com" }),
    expect: never("evil.com"),
  },
];
