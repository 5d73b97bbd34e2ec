/** Attacks that bypass a guard, because the guard reads the path differently from the router. */

import type { Attack } from "../attack.ts";
import { all, either, never, noFault, refuses, responds, respondsInTurn, says, secret, so } from "../expect.ts";
import { get, post, request } from "../requests.ts";

const needs = ["guards"];
/** Expects neither the secret nor a server error. */
const kept = all(
  never(),
  noFault(),
);

const spellings: readonly (readonly [string, string, string?])[] = [
  ["as it is", "/staff/keys"],
  ["with one letter escaped", "/%73taff/keys"],
  ["with all letters escaped", "/%73%74%61%66%66/keys"],
  ["with the first letter escaped twice", "/%2573taff/keys"],
  ["in capitals", "/STAFF/keys"],
  ["with one capital", "/Staff/keys"],
  ["with a doubled slash before it", "//staff/keys", "CVE-2026-2880"],
  ["with three slashes before it", "///staff/keys"],
  ["with a dot before it", "/./staff/keys"],
  ["with an escaped dot before it", "/%2e/staff/keys"],
  ["through a folder and back", "/public/../staff/keys"],
  ["through a folder and back, escaped", "/public/%2e%2e/staff/keys"],
  ["through a folder and back, slash escaped", "/public/..%2fstaff/keys"],
  ["with a semicolon before it", "/;/staff/keys", "CVE-2020-1957"],
  ["with dots and a semicolon", "/public/..;/staff/keys", "CVE-2020-1957"],
  ["with a parameter of the path", "/staff;x=1/keys", "CVE-2026-2880"],
  ["with an escaped slash before it", "/%2fstaff/keys"],
  ["with an escaped slash behind it", "/staff%2fkeys"],
  ["with a final slash", "/staff/"],
  ["with two final slashes", "/staff//"],
  ["with an escaped final slash", "/staff%2f"],
  ["with a doubled slash inside", "/staff//keys"],
  ["with a zero byte behind it", "/staff%00/keys"],
  ["with a blank behind it", "/staff%20/keys"],
  ["with a tab before it", "/%09staff/keys"],
  ["with a backslash before it", "/\\staff/keys"],
  ["with an escaped backslash", "/%5cstaff/keys"],
  ["with a letter of full width", "/%ef%bd%93taff/keys"],
  ["with a long s, which is s in capitals", "/%c5%bftaff/keys"],
  ["with a hash behind the slash", "/#/staff/keys"],
  ["with a question mark escaped", "/staff%3f/keys"],
  ["with a broken escape before it", "/%/staff/keys"],
  ["with an overlong escape", "/%c1%b3taff/keys", "CVE-2008-2938"],
  ["with a UTF-16 escape", "/%u0073taff/keys", "CVE-2021-34429"],
];

const methods: readonly (readonly [string, string])[] = [
  ["HEAD", "HEAD"],
  ["OPTIONS", "OPTIONS"],
  ["a method in small letters", "get"],
  ["a method with a letter in capitals", "Get"],
  ["a method that does not exist", "JEFF"],
  ["TRACE", "TRACE"],
  ["POST", "POST"],
  ["DELETE", "DELETE"],
];

/** All attacks round a guard. */
export const guardAttacks: readonly Attack[] = [
  ...spellings.map(([name, path, advisory]): Attack => ({
    name: `A guard that compares the path is not passed ${name}`,
    ...advisory !== undefined && { advisory },
    needs,
    send: get(path),
    expect: kept,
  })),
  ...spellings.map(([name, path]): Attack => ({
    name: `A party's guard is not passed ${name}`,
    needs,
    send: get(
      path.replaceAll("%73taff", "%61dmin").replaceAll("%2573taff", "%2561dmin").replaceAll(
        "%73%74%61%66%66",
        "%61%64%6d%69%6e",
      ).replaceAll("staff", "admin").replaceAll("Staff", "Admin").replaceAll("STAFF", "ADMIN"),
    ),
    expect: kept,
  })),
  ...methods.map(([name, method]): Attack => ({
    name: `A party's guard cannot be bypassed by ${name}`,
    needs,
    send: request(method, "/admin/keys"),
    expect: all(
      never(),
      so("does not respond with content", ({ replies, end }) => {
        const status = replies[0]?.status ?? 0;
        return status === 204 || (status >= 400 && status < 600) || (replies.length === 0 && end !== "open");
      }),
    ),
  })),
  {
    name: "A guard accepts authorized clients",
    needs,
    send: get("/admin/keys", { "X-Key": "open" }),
    expect: says(200, secret),
  },
  ...["admin/keys", "admin%2fkeys", "admin%2Fkeys", "%61dmin%2fkeys", ".%2fadmin%2fkeys", "admin%2f%2fkeys"].map((
    path,
  ): Attack => ({
    name: `A party's guard cannot be bypassed with "${path}" through a wildcard route`,
    advisory: "CVE-2026-29045",
    needs: ["rest of paths"],
    send: get(`/vault/${path}`),
    expect: kept,
  })),
  {
    name: "A method in a header is ignored",
    needs,
    send: post("/readonly", "text/plain", "x", {
      "X-HTTP-Method-Override": "GET",
      "X-HTTP-Method": "GET",
      "X-Method-Override": "GET",
    }),
    expect: responds(404, 405),
  },
  {
    name: "A method in a form is ignored",
    needs,
    send: post("/readonly?_method=GET", "application/x-www-form-urlencoded", "_method=GET"),
    expect: responds(404, 405),
  },
  {
    name: "A forged internal header does not bypass the guard",
    advisory: "CVE-2025-29927",
    needs,
    send: get("/admin/keys", { "X-Middleware-Subrequest": "middleware:middleware:middleware" }),
    expect: kept,
  },
  {
    name: "Two keys are rejected by a guard that requires one",
    needs,
    send: request("GET", "/admin/keys", [["X-Key", "closed"], ["X-Key", "open"]]),
    expect: kept,
  },
  {
    name: "A key with trailing whitespace is trimmed according to HTTP",
    needs,
    send: get("/admin/keys", { "X-Key": "open\xa0" }),
    expect: kept,
  },
  {
    name: "A guard that rejects one request does not reject the next one on the connection",
    needs,
    send: `GET /admin/keys HTTP/1.1\r\nHost: localhost\r\n\r\n${get("/ping")}`,
    expect: all(respondsInTurn(403, 200), never()),
  },
  {
    name: "A guard that accepts one request does not accept the next one on the connection",
    needs,
    send: `GET /admin/keys HTTP/1.1\r\nHost: localhost\r\nX-Key: open\r\n\r\n${get("/admin/keys")}`,
    expect: respondsInTurn(200, 403),
  },
  {
    name: "A parameter with an escaped slash is one segment",
    send: get("/param/a%2fb"),
    expect: says(200, '{"name":"a/b"}'),
  },
  {
    name: "A parameter is decoded once",
    send: get("/param/%252e"),
    expect: says(200, '{"name":"%2e"}'),
  },
  {
    name: "A number in a path cannot be padded, signed or in non-ASCII digits",
    needs: ["controllers"],
    send: get("/users/%d9%a1"),
    expect: never('"id":1'),
  },
  {
    name: "A number beyond 64 bits is not a number",
    needs: ["controllers"],
    send: get(`/users/${"9".repeat(40)}`),
    expect: never('"id":9'),
  },
  {
    name: "A method of a controller that is not a route cannot be called",
    needs: ["controllers"],
    send: get("/users/constructor-secret"),
    expect: never(),
  },
  {
    name: "A controller's constructor cannot be called",
    needs: ["controllers"],
    send: post("/users/constructor", "text/plain", ""),
    expect: refuses(),
  },
  { name: "A broken escape in a path is refused", send: get("/param/%zz"), expect: responds(400, 404) },
  { name: "A cut escape in a path is refused", send: get("/param/%e2%82"), expect: responds(400, 404) },
  {
    name: "An escape of a surrogate is rejected",
    send: get("/param/%ed%a0%80"),
    expect: either(responds(400, 404), refuses()),
  },
];
