/** Attacks that inject headers with line breaks in a value that a handler puts into a header. */

import type { Attack, Expectation } from "../attack.ts";
import { all, either, header, never, noHeader, responds, so } from "../expect.ts";
import { headerOf, headersOf } from "../outcome.ts";
import { get } from "../requests.ts";

const injected: Expectation = all(
  noHeader("x-injected"),
  so("sends one whole response", ({ replies }) => replies.length === 1 && replies[0]?.isWhole === true),
);

const breaks: readonly (readonly [string, string])[] = [
  ["CR LF", "%0d%0a"],
  ["a bare line feed", "%0a"],
  ["a bare carriage return", "%0d"],
  ["CR LF twice", "%0d%0a%0d%0a<script>"],
  ["letters whose low bytes are CR LF", "%e5%98%8d%e5%98%8a"],
  ["a line separator", "%e2%80%a8"],
  ["a zero byte", "%00"],
];

const places: readonly (readonly [string, (payload: string) => string, string[], string?])[] = [
  ["a header", (payload) => `/set-header?value=a${payload}X-Injected:1`, []],
  ["a redirect", (payload) => `/redirect?to=/a${payload}X-Injected:1`, [], "CVE-2016-9964"],
  ["a cookie's value", (payload) => `/set-cookie?value=a${payload}X-Injected:1`, ["cookies"]],
  ["a cookie's name", (payload) => `/set-cookie?name=a${payload}X-Injected:1&value=b`, ["cookies"], "CVE-2024-47764"],
  ["a download's name", (payload) => `/download?name=a${payload}X-Injected:1`, ["sent files"]],
  ["a content type", (payload) => `/set-type?value=text/plain${payload}X-Injected:1`, []],
];

/** Matches a single file name, given twice: in quotes as ASCII, and escaped. */
const oneName = /^attachment; filename="[^"\\]*"; filename\*=UTF-8''[^;"]*$/;

/** All attacks on headers. */
export const headerAttacks: readonly Attack[] = [
  ...places.flatMap(([place, path, needs, advisory]) =>
    breaks.map(([name, payload]): Attack => ({
      name: `${name} in ${place} does not write a header`,
      ...advisory !== undefined && { advisory },
      needs,
      send: get(path(payload)),
      expect: injected,
    }))
  ),
  {
    name: "A header name with a colon and a line break does not write a header",
    send: get("/set-header?name=x%0d%0ax-injected&value=1"),
    expect: injected,
  },
  {
    name: "A header name with a space does not write a header",
    send: get("/set-header?name=x%20y&value=1"),
    expect: all(noHeader("x y"), noHeader("x")),
  },
  {
    name: "A semicolon in a cookie value does not add an attribute",
    needs: ["cookies"],
    send: get("/set-cookie?value=a;%20Domain=evil.com"),
    expect: either(
      responds(500),
      so("sends no domain", ({ replies }) => !/;\s*domain=evil/i.test(headerOf(replies[0], "set-cookie"))),
    ),
  },
  {
    name: "A semicolon in a cookie name does not add an attribute",
    advisory: "CVE-2024-47764",
    needs: ["cookies"],
    send: get("/set-cookie?name=a;Domain&value=evil.com"),
    expect: either(responds(500), noHeader("set-cookie")),
  },
  {
    name: "A semicolon in a cookie path does not add an attribute",
    advisory: "CVE-2024-47764",
    needs: ["cookies"],
    send: get("/set-cookie?path=/;%20Domain=evil.com&value=x"),
    expect: either(
      responds(500),
      so("sends no domain", ({ replies }) => !/;\s*domain=evil/i.test(headerOf(replies[0], "set-cookie"))),
    ),
  },
  {
    name: "A semicolon in a cookie domain does not add an attribute",
    advisory: "CVE-2024-47764",
    needs: ["cookies"],
    send: get("/set-cookie?domain=a.com;%20HttpOnly=no&value=x"),
    expect: either(responds(500), never("HttpOnly=no")),
  },
  {
    name: "A comma in a cookie value does not create a second cookie",
    needs: ["cookies"],
    send: get("/set-cookie?value=a,%20b=c"),
    expect: either(
      responds(500),
      so("sends one cookie", ({ replies }) => {
        const cookies = headersOf(replies[0], "set-cookie");
        return cookies.length === 1 && !cookies[0]?.includes(", b=c");
      }),
    ),
  },
  {
    name: "A cookie without a name is not sent",
    needs: ["cookies"],
    send: get("/set-cookie?name=&value=__Host-id%3Devil"),
    expect: either(responds(500), noHeader("set-cookie")),
  },
  {
    name: "A quote in a download name does not end the name",
    advisory: "CVE-2023-29401",
    needs: ["sent files"],
    send: get("/download?name=a.txt%22;%20filename=%22evil.sh"),
    expect: all(responds(200), header("content-disposition", oneName)),
  },
  {
    name: "A semicolon in a download name does not start a parameter",
    advisory: "CVE-2023-29401",
    needs: ["sent files"],
    send: get("/download?name=evil.sh%22;x=.txt"),
    expect: all(
      responds(200),
      header("content-disposition", oneName),
    ),
  },
  {
    name: "A backslash in a download name does not escape a quote",
    advisory: "CVE-2020-5398",
    needs: ["sent files"],
    send: get("/download?name=a%5c%22.sh"),
    expect: all(responds(200), header("content-disposition", /^attachment; filename="[^"\\]*";/)),
  },
  {
    name: "A path in a download name is not a folder on the client",
    needs: ["sent files"],
    send: get("/download?name=../../.bashrc"),
    expect: responds(200),
  },
  {
    name: "A lone surrogate in a download's name does not cause a server error",
    needs: ["sent files"],
    send: get("/download?name=%ed%a0%80.txt"),
    expect: responds(200),
  },
  {
    name: "A redirect to whitespace stays on this site",
    send: get("/redirect?to=/%09/evil.com"),
    expect: either(
      responds(400, 500),
      so("sends no tab", ({ replies }) => !headerOf(replies[0], "location").includes("\t")),
    ),
  },
  {
    name: "A backslash in a redirect does not lead to another host",
    advisory: "CVE-2024-29041",
    send: get("/redirect?to=/%5cevil.com"),
    expect: either(
      responds(400, 500),
      so("escapes the backslash", ({ replies }) => !headerOf(replies[0], "location").includes("\\")),
    ),
  },
  {
    name: "The body of a redirect does not contain the client's script",
    advisory: "CVE-2024-43796, CVE-2024-43800, CVE-2025-32379",
    send: get("/redirect?to=javascript:alert(1)//%22%3E%3Cscript%3E", { Accept: "text/html" }),
    expect: so("sends no script in its body", ({ replies }) => replies[0]?.body.includes("<script>") === false),
  },
  {
    name: "A request header is never echoed",
    send: get("/ping", { "X-Injected": "1", "Origin": "http://evil.com", "Access-Control-Request-Method": "DELETE" }),
    expect: all(noHeader("x-injected"), noHeader("access-control-allow-origin")),
  },
  {
    name: "TRACE does not echo the request",
    advisory: "CVE-2004-2320",
    send: "TRACE /ping HTTP/1.1\r\nHost: localhost\r\nCookie: sid=TOP-SECRET\r\nConnection: close\r\n\r\n",
    expect: all(responds(404, 405, 501), never()),
  },
];
