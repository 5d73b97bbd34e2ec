/** Attacks through pages: injected markup, server internals, and links to other sites. */

import type { Attack } from "../attack.ts";
import { all, either, header, never, noFault, noHeader, refuses, responds, says, so } from "../expect.ts";
import { headerOf } from "../outcome.ts";
import { get, postForm, postJSON, request } from "../requests.ts";

const script = "%3Cscript%3Ealert(1)%3C/script%3E";
const noScript = never("<script>alert");

/** Expects no internals: no stack trace, no path on the machine and no error message. */
const tight = all(never(), never("at file:"), never(".ts:"), never("/work/"), never("node_modules"), never("Error:"));

const redirects: readonly (readonly [string, string, string?])[] = [
  ["two slashes before a host", "//evil.com/"],
  ["three slashes before a host", "///evil.com/"],
  ["a backslash before a host", "/\\evil.com/"],
  ["an escaped backslash before a host", "/%5cevil.com/"],
  ["an escaped slash before a host", "/%2fevil.com/"],
  ["two slashes, a host and dots", "//evil.com/.."],
  ["two slashes, a host and escaped dots", "//evil.com/%2e%2e", "CVE-2015-1164, CVE-2021-22963"],
  ["two slashes, a host, an escaped slash and escaped dots", "//evil.com%2f%2e%2e", "CVE-2022-40083"],
  ["two slashes, a host, escaped dots and a slash", "//evil.com/%2e%2e/"],
  ["a tab before a host", "/%09/evil.com/"],
  ["a host and an at sign", "//ping@evil.com/"],
  ["two slashes before a route", "//ping/"],
];

/** All attacks on pages. */
export const pageAttacks: readonly Attack[] = [
  { name: "A thrown error shows nothing of itself", send: get("/throw"), expect: all(responds(500), tight) },
  { name: "A rejected promise shows nothing of itself", send: get("/reject"), expect: all(responds(500), tight) },
  { name: "A thrown text shows nothing of itself", send: get("/throw-text"), expect: all(responds(500), tight) },
  { name: "A stray rejection does not end the server", send: get("/stray"), expect: says(200, "fine") },
  {
    name: "A 404 page escapes the path",
    send: get(`/${script}`),
    expect: all(responds(404), noScript),
  },
  {
    name: "A 404 page escapes raw markup in the path",
    send: get("/<script>alert(1)</script>"),
    expect: all(either(responds(404), refuses()), noScript),
  },
  {
    name: "A 404 page escapes the query",
    send: get(`/nothing?${script}`),
    expect: all(responds(404), noScript),
  },
  { name: "A wrong method does not show itself as markup", send: request("<b>", "/ping"), expect: never("<b>") },
  {
    name: "A 404 page does not contain the client's HTML",
    send: get("/nothing"),
    expect: all(responds(404), header("content-type", /^text\/plain|^application\/|^text\/html/)),
  },
  {
    name: "A page escapes inserted values",
    needs: ["views"],
    send: get(`/page?name=${script}`),
    expect: all(
      responds(200),
      never('<p>"<script>'),
      never(`"><script>`),
      so(
        "escapes the text",
        ({ replies }) => replies[0]?.body.includes("&lt;script&gt;alert(1)&lt;/script&gt;") === true,
      ),
    ),
  },
  {
    name: "A page escapes quotes in attributes",
    needs: ["views"],
    send: get("/page?name=%22%20onmouseover=%22alert(1)"),
    expect: all(responds(200), never('title="" onmouseover')),
  },
  {
    name: "A page escapes apostrophes",
    needs: ["views"],
    send: get("/page?name=%27%20onmouseover=%27"),
    expect: all(
      responds(200),
      so("escapes the apostrophe", ({ replies }) => replies[0]?.body.split("<script>")[0]?.includes("'") === false),
    ),
  },
  {
    name: "Data in a script cannot end the script",
    needs: ["views"],
    send: get("/page?name=%3C/script%3E%3Cscript%3Ealert(1)"),
    expect: all(responds(200), never('"</script>'), never("</script><script>alert")),
  },
  {
    name: "Data in a script cannot open a comment",
    needs: ["views"],
    send: get("/page?name=%3C!--%3Cscript%3E"),
    expect: all(
      responds(200),
      so(
        "escapes the opening",
        ({ replies }) => replies[0]?.body.split("const name = ")[1]?.includes("<!--") === false,
      ),
    ),
  },
  {
    name: "Data in a script cannot contain a line break",
    needs: ["views"],
    send: get("/page?name=%e2%80%a8alert(1)"),
    expect: all(responds(200), never('= "\xe2\x80\xa8')),
  },
  {
    name: "Template tags in data are not evaluated",
    needs: ["views"],
    send: get("/page?name=%3C%25%3D%2077*77%20%25%3E"),
    expect: all(responds(200), never(">5929<")),
  },
  {
    name: "Braces in data are not evaluated",
    needs: ["views"],
    send: get("/page?name=%7B%7B77*77%7D%7D$%7B77*77%7D"),
    expect: all(responds(200), never("5929")),
  },
  {
    name: "A view's name does not lead out of its folder",
    needs: ["views"],
    send: get("/view?view=../secret.txt"),
    expect: all(responds(404, 500), tight),
  },
  {
    name: "An absolute view name is not found",
    needs: ["views"],
    send: get("/view?view=/etc/passwd"),
    expect: all(responds(404, 500), never("root:")),
  },
  {
    name: "The error for a missing view does not contain a folder",
    needs: ["views"],
    send: get("/view?view=nothing"),
    expect: all(responds(404, 500), tight, never("views")),
  },
  ...redirects.map(([name, path, advisory]): Attack => ({
    name: `A redirect of a trailing slash does not lead to another site with ${name}`,
    ...advisory !== undefined && { advisory },
    send: get(path),
    expect: so("redirects to a path of this site, or not at all", ({ replies }) => {
      const location = headerOf(replies[0], "location");
      return replies.length > 0 && (location === "" || /^\/(?![/\\])/.test(location));
    }),
  })),
  {
    name: "A redirect of a trailing slash keeps the query unchanged",
    send: get("/ping/?a=b%0d%0aX-Injected:1"),
    expect: all(noHeader("x-injected"), header("location", /^(\/ping\?a=b%0d%0aX-Injected:1)?$/i)),
  },
  {
    name: "The server does not create a redirect to a script",
    send: get("/ping/#javascript:alert(1)"),
    expect: either(refuses(), so("drops the hash", ({ replies }) => !headerOf(replies[0], "location").includes("#"))),
  },
  {
    name: "The server does not reveal its version",
    send: get("/ping"),
    expect: all(noHeader("server"), noHeader("x-powered-by")),
  },
  {
    name: "A bad request does not reveal the server's version",
    send: "GET\r\n\r\n",
    expect: all(noHeader("server"), noHeader("x-powered-by")),
  },
  {
    name: "Malformed JSON is not echoed",
    needs: ["json"],
    send: postJSON("/json", '{"password":"TOP-SECRET'),
    expect: all(responds(400), never()),
  },
  {
    name: "A value that does not match its schema is not echoed",
    needs: ["json"],
    send: postJSON("/strict", '"TOP-SECRET"'),
    expect: all(responds(400, 422), never()),
  },
  {
    name: "An invalid number field is not echoed as markup",
    needs: ["forms"],
    send: postForm("/number", "n=%3Cscript%3E"),
    expect: never("<script>"),
  },
  {
    name: "JSON with markup in it is not HTML",
    send: get(`/param/${script.replaceAll("/", "%2f")}`),
    expect: all(responds(200), header("content-type", /^application\/json/)),
  },
  {
    name: "A downloaded page is saved instead of displayed",
    needs: ["sent files"],
    send: get("/sent/sub/page.html"),
    expect: all(responds(200), header("content-disposition", /^attachment/)),
  },
  {
    name: "OPTIONS only lists methods",
    send: request("OPTIONS", "/ping"),
    expect: all(responds(200, 204, 404), never(), noHeader("access-control-allow-origin")),
  },
  { name: "OPTIONS * does not cause a server error", send: request("OPTIONS", "*"), expect: noFault() },
  {
    name: "A path that is an asterisk does not cause a server error",
    send: get("*"),
    expect: either(refuses(), noFault()),
  },
  {
    name: "An empty path does not cause a server error",
    send: "GET  HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    expect: either(refuses(), noFault()),
  },
  { name: "A path that begins without a slash is refused", send: get("ping"), expect: refuses() },
  {
    name: "A path of bytes that are not UTF-8 does not cause a server error",
    send: get("/\xff\xfe"),
    expect: either(refuses(), noFault()),
  },
  {
    name: "A path of raw non-ASCII letters does not cause a server error",
    send: get("/param/\xc3\xa9"),
    expect: either(refuses(), noFault()),
  },
];
