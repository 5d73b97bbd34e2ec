/** Attacks on combinations of features: a guard and a route that matches paths below it, a mount, a rewritten path. */

import type { Attack } from "../attack.ts";
import { all, never, noFault, refuses, responds, says, saysJSON, so, tells } from "../expect.ts";
import { get, request } from "../requests.ts";

/** Expects neither the secret nor a server error. */
const kept = all(never(), noFault());

/** Characters between `/x` and `admin`, or after it, that do not change the meaning of the path. */
const spellings: readonly (readonly [string, string])[] = [
  ["as it is", "/admin/keys"],
  ["with a doubled slash behind it", "/admin//keys"],
  ["with a doubled slash before it", "//admin/keys"],
  ["with an escaped slash behind a slash", "/admin/%2Fkeys"],
  ["with an escaped slash", "/admin%2fkeys"],
  ["with an escaped slash before it", "/%2Fadmin/keys"],
  ["through a folder and back", "/pub/../admin/keys"],
  ["through a folder and back, dots escaped", "/pub/%2e%2E/admin/keys"],
  ["through a folder and back, slashes escaped", "/pub%2F..%2Fadmin%2Fkeys"],
  ["through a folder and back, one slash escaped", "/pub/..%2fadmin/keys"],
  ["with a dot", "/./admin/./keys"],
  ["with an escaped dot and slash", "/.%2Fadmin/keys"],
  ["with letters escaped", "/%61dm%69n/keys"],
  ["with a final slash", "/admin/"],
  ["with nothing behind it", "/admin"],
  ["with a final dot", "/admin/."],
  ["through itself and back", "/admin/keys/../../admin/keys"],
  ["with a backslash", "/admin\\keys"],
  ["with an escaped backslash", "/admin%5Ckeys"],
  ["with a folder and a backslash", "/pub\\..\\admin/keys"],
];

const reaching: readonly (readonly [string, string, string])[] = [
  ["an outer catch-all", "/owned", "owned prefixes"],
  ["a single parameter", "/single", "owned parameters"],
  ["a mounted application", "/mounted", "mounts"],
  ["a rewritten path", "/led", "rewritten queries"],
];

/** Attacks on guards through other features. */
export const crossingAttacks: readonly Attack[] = [
  ...reaching.flatMap(([name, prefix, feature]) =>
    spellings.map(([spelling, path]): Attack => ({
      name: `The prefix of a party is guarded against ${name} ${spelling}`,
      needs: [feature],
      send: get(`${prefix}${path}`),
      expect: kept,
    }))
  ),
  ...spellings.map(([spelling, path]): Attack => ({
    name: `The prefix of a party is guarded against a folder ${spelling}`,
    needs: ["owned folders"],
    send: get(`/grove${path.replaceAll("admin", "sub").replaceAll("%61dm%69n", "%73ub").replace("keys", "b.txt")}`),
    expect: all(
      noFault(),
      so("serves no file", ({ replies }) => replies[0]?.status !== 200),
    ),
  })),
  ...["/owned/admin/keys", "/owned/x/../admin/keys", "//owned//admin", "/routed/keys", "/x/../routed/keys"].map((
    path,
  ): Attack => ({
    name: `A route executed as "${path}" runs its guards`,
    needs: ["executed routes"],
    send: get(`/executed?to=${encodeURIComponent(path)}`),
    expect: all(never(), responds(403)),
  })),
  {
    name: "A mounted application blocks addresses",
    needs: ["mounted filters"],
    send: get("/filtered"),
    expect: all(never(), responds(403)),
  },
  {
    name: "A mounted application blocks addresses, regardless of forged headers",
    needs: ["mounted filters"],
    send: get("/filtered", { "X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1", "X-Real-IP": "192.0.2.1" }),
    expect: all(never(), responds(403)),
  },
  ...["h2c", "foo", "TLS/1.0", "websocket, foo"].map((upgrade): Attack => ({
    name: `A mounted application sees its own path under "Upgrade: ${upgrade}"`,
    needs: ["mounts"],
    send: request("GET", "/mounted/a", { Upgrade: upgrade, Connection: "Upgrade, close" }),
    expect: says(200, "/a"),
  })),
  ...["/mounted", "/mounted/", "/mounted//", "//mounted"].map((path): Attack => ({
    name: `A mounted application serves its root as "${path}"`,
    needs: ["mounts"],
    send: get(path),
    expect: says(200, "/"),
  })),
  ...[["a&admin=1", "a&admin=1"], ["a%26admin%3D1", "a&admin=1"], ["a=b", "a=b"], ["a+b", "a+b"], ["a%23b", "a#b"]].map(
    (
      [path = "", value = ""],
    ): Attack => ({
      name: `A value stays one parameter of a rewritten query: "${path}"`,
      needs: ["rewritten queries"],
      send: get(`/look/${path}`),
      expect: saysJSON(200, { name: [value] }),
    }),
  ),
];

/** Attacks on files through paths that a handler joins. */
export const joinedAttacks: readonly Attack[] = [
  "../secret.txt",
  "..\\secret.txt",
  "sub/../../secret.txt",
  "sub\\..\\..\\secret.txt",
  "./../secret.txt",
  "/../secret.txt",
  "../public/../secret.txt",
  "../../../../../../etc/hostname",
].flatMap((path) =>
  ["/joined", "/joined/sent"].map((route): Attack => ({
    name: `A path joined to a folder does not lead out of it: ${route} with "${path}"`,
    needs: ["joined files"],
    send: get(`${route}?f=${encodeURIComponent(path)}`),
    expect: all(never(), refuses()),
  }))
);

/** Attacks on the host that a handler reads. */
export const readHostAttacks: readonly Attack[] = [
  ...["[::1", "x:80a", "]x[", "x:99999", "1.2.3.400", "[zz]", "x:80:80", "::1", "a]", "[1.2.3.4]"].map((
    host,
  ): Attack => ({
    name: `An invalid host is rejected when it is read: "${host}"`,
    needs: ["full URLs"],
    send: get("/full", { Host: host }),
    expect: responds(400),
  })),
  ...["x", "x:80", "[::1]", "[::1]:8080", "127.0.0.1:80", "a.b.example", "a-b_c.example:65535"].map((host): Attack => ({
    name: `A host is returned unchanged: "${host}"`,
    needs: ["full URLs"],
    send: get("/full", { Host: host }),
    expect: tells(200, host),
  })),
  {
    name: "A request without a host does not fail when it is read",
    needs: ["full URLs"],
    send: "GET /full HTTP/1.1\r\nConnection: close\r\n\r\n",
    expect: noFault(),
  },
];
