/** Attacks on served files: paths outside the folder, hidden files, links, unusual ranges. */

import type { Attack } from "../attack.ts";
import { all, either, header, never, noFault, refuses, responds, says, so } from "../expect.ts";
import { joined } from "../cookies.ts";
import { headerOf, type Outcome } from "../outcome.ts";
import { get, request } from "../requests.ts";

const refused = all(refuses(), never());
const files = { needs: ["files"] };
const sent = { needs: ["sent files"] };
const rooted = { needs: ["rooted files"] };

/** Spellings of `..`, used wherever the path of a file comes from the client. */
const waysUp: readonly (readonly [string, string, string?])[] = [
  ["plain dots", "../secret.txt", "CVE-2024-32869"],
  ["escaped dots", "%2e%2e/secret.txt", "CVE-2021-41773"],
  ["an escaped slash", "..%2fsecret.txt"],
  ["all escaped in capitals", "%2E%2E%2Fsecret.txt"],
  ["half-escaped dots", ".%2e/secret.txt", "CVE-2021-41773"],
  ["a folder and back out of it", "sub/../../secret.txt"],
  ["a folder that is not there and back", "nowhere/../../secret.txt"],
  ["many levels to the root", `${"../".repeat(12)}etc/passwd`],
  ["a doubled slash", "..//secret.txt"],
  ["a dot between", ".././secret.txt"],
  ["twice escaped dots", "%252e%252e/secret.txt", "CVE-2021-42013"],
  ["a backslash", "..%5csecret.txt", "CVE-2020-36565"],
  ["a zero byte behind the name", "../secret.txt%00.txt"],
  ["a sibling folder whose name begins alike", "../public-too/secret.txt", "CVE-2014-6394"],
  ["dots as overlong UTF-8", "%c0%ae%c0%ae/secret.txt", "CVE-2008-2938"],
  ["four dots", "....//secret.txt"],
];

/** The same without a separate folder. `Root` confines the path. */
const rootedWays: readonly (readonly [string, string, string?])[] = [
  ["plain dots", "../secret.txt"],
  ["escaped dots", "%2e%2e%2fsecret.txt"],
  ["an absolute path", "%2fetc/passwd"],
  ["an absolute path with a doubled slash", "/etc/passwd"],
  ["a link to a file", "link.txt"],
  ["a link to a folder", "linked/secret.txt"],
  ["a hidden file", ".env", "CVE-2024-49770"],
  ["an escaped hidden file", "%2eenv", "CVE-2024-49770"],
  ["a hidden file behind a doubled slash", "sub/..//.env"],
  ["a sibling folder whose name begins alike", "../public-too/secret.txt", "CVE-2023-29159"],
  ["a zero byte", "a.txt%00"],
  ["a name that is too long", "a".repeat(5000)],
  ["a file URL", "file:%2f%2f%2fetc/passwd"],
  ["a device", "%2fdev/zero"],
];

/** Further names of files on NTFS, on other file systems that ignore the case of letters, and on Windows. */
const otherNames: readonly (readonly [string, string, string?])[] = [
  ["the short name of a hidden file", "ENV~1"],
  ["the short name of a hidden file in small letters", "env~1"],
  ["the short name of a hidden folder", "GIT~1/config", "CVE-2014-9390"],
  ["a hidden file in capitals", ".ENV"],
  ["a hidden file and a dot", ".env.", "CVE-2011-4963"],
  ["a hidden file and a blank", ".env%20"],
  ["a stream of a hidden file", ".env::$DATA", "CVE-1999-0278"],
  ["a stream of a file", "a.txt::$DATA", "CVE-1999-0278"],
  ["the short name of a file", "LONG~1.TXT"],
  ["a file in capitals", "A.TXT"],
  ["a file and a dot", "a.txt."],
  ["the console", "CON", "CVE-2003-0016"],
  ["the console with an extension", "con.txt"],
  ["the input of the console", "CONIN$"],
  ["a serial port in a folder", "plain/com1.txt"],
  ["the null device", "NUL"],
];

/** Ways to bypass the guard of one of the served folders. */
const waysRound: readonly (readonly [string, string, string?])[] = [
  ["as it is", "sub/keys.txt"],
  ["with an escaped slash", "sub%2fkeys.txt", "CVE-2026-29045"],
  ["with an escaped slash in capitals", "sub%2Fkeys.txt", "CVE-2026-29045"],
  ["with a letter escaped too", "%73ub%2fkeys.txt", "CVE-2026-29045"],
  ["with an escaped slash before it", "%2fsub/keys.txt"],
  ["with a doubled slash before it", "/sub/keys.txt"],
  ["with a dot before it", "./sub/keys.txt"],
  ["with an escaped dot before it", "%2e/sub/keys.txt"],
  ["with a dot and an escaped slash before it", ".%2fsub/keys.txt"],
  ["through another folder", "plain/../sub/keys.txt"],
  ["through another folder, escaped", "plain/%2e%2e/sub/keys.txt"],
  ["through another folder, slash escaped", "plain%2f..%2fsub%2fkeys.txt"],
  ["with a semicolon behind it", "sub;/keys.txt"],
  ["with a backslash", "sub%5ckeys.txt"],
  ["in capitals", "SUB/keys.txt", "CVE-2001-0766"],
  ["with one capital", "sUb/keys.txt"],
  ["by a short name", "SUB~1/keys.txt"],
  ["with a dot behind it", "sub./keys.txt", "CVE-2011-4963"],
  ["with a blank behind it", "sub%20/keys.txt"],
  ["as a stream", "sub::$INDEX_ALLOCATION/keys.txt", "CVE-2011-4963"],
  ["with a zero byte", "sub%00/keys.txt"],
  ["with a slash at the end", "sub/keys.txt/"],
];

/** All attacks on files. */
export const fileAttacks: readonly Attack[] = [
  ...["static", "files"].map((place): Attack => ({
    needs: ["folders", "files"],
    name: `1,000 random paths of 50 KB below /${place} are not stored`,
    send: async (wire) => {
      const before = await wire.send(get("/memory"));
      for (let i = 0; i < 10; i++) {
        const paths = Array.from({ length: 100 }, (_, at) => `/${place}/${i}-${at}-${"x".repeat(50_000)}`);
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
  })),
  ...waysUp.map(([name, path, advisory]): Attack => ({
    ...files,
    name: `ServeFile with a client's path does not lead to parent folders with ${name}`,
    ...advisory !== undefined && { advisory },
    send: get(`/files/${path}`),
    expect: refused,
  })),
  ...rootedWays.map(([name, path, advisory]): Attack => ({
    ...rooted,
    name: `ServeFile bound to a folder cannot be left with ${name}`,
    ...advisory !== undefined && { advisory },
    send: get(`/rooted/${path}`),
    expect: refused,
  })),
  ...waysUp.map(([name, path, advisory]): Attack => ({
    needs: ["folders"],
    name: `A served folder does not lead to parent folders with ${name}`,
    ...advisory !== undefined && { advisory },
    send: get(`/static/${path}`),
    expect: all(either(refuses(), responds(301)), never()),
  })),
  ...rootedWays.map(([name, path, advisory]): Attack => ({
    needs: ["folders"],
    name: `A served folder cannot be left with ${name}`,
    ...advisory !== undefined && { advisory },
    send: get(`/static/${path}`),
    expect: all(either(refuses(), responds(301)), never()),
  })),
  ...["static", "rooted"].flatMap((place) =>
    otherNames.map(([name, path, advisory]): Attack => ({
      needs: [place === "static" ? "folders" : "rooted files"],
      name: `Nothing below /${place} is served as ${name}`,
      ...advisory !== undefined && { advisory },
      send: get(`/${place}/${path}`),
      expect: all(responds(404), never(), never("0123456789")),
    }))
  ),
  ...waysRound.map(([name, path, advisory]): Attack => ({
    needs: ["folders"],
    name: `The guard of a folder below a served one is not passed ${name}`,
    ...advisory !== undefined && { advisory },
    send: get(`/static/${path}`),
    expect: all(never(), noFault()),
  })),
  {
    needs: ["file listings"],
    name: "A listing escapes file names",
    send: get("/static/plain/"),
    expect: all(responds(200), never("<img src=x"), never('href="javascript:'), never("href='javascript:")),
  },
  {
    needs: ["file listings"],
    name: "A listing omits hidden files and links out of the folder",
    send: get("/static/plain/"),
    expect: all(responds(200), never(".hidden"), never("out.txt")),
  },
  {
    needs: ["file listings"],
    name: "A listing escapes the path",
    send: get("/static/plain/%3Cscript%3E/..%2f"),
    expect: never("<script>"),
  },
  {
    ...files,
    name: "An entity tag does not contain the inode of the file",
    advisory: "CVE-2003-1418",
    send: async (wire) => {
      const inode = Number((await wire.send(get("/inode"))).replies[0]?.body);
      return { ...await wire.send(get("/files/a.txt")), figures: [inode] };
    },
    expect: so("sends a tag without it", ({ replies, figures: [inode = 0] = [] }) => {
      const tag = headerOf(replies[0], "etag").toLowerCase();
      return inode > 0 && [10, 16, 36].every((base) => !tag.split(/[^a-z0-9]/).includes(inode.toString(base)));
    }),
  },
  {
    ...sent,
    name: "ServeFile with one parameter in its path does not lead to parent folders with an escaped slash",
    send: get("/file/..%2fsecret.txt"),
    expect: refused,
  },
  {
    ...sent,
    name: "ServeFile with one parameter does not lead to parent folders with two dots",
    // The path is "/", which is not a file.
    send: get("/file/.."),
    expect: all(never(), noFault()),
  },
  { ...sent, name: "SendFile does not lead up by plain dots", send: get("/sent/../secret.txt"), expect: refused },
  {
    ...sent,
    name: "SendFile does not lead to parent folders with escaped dots",
    send: get("/sent/%2e%2e%2fsecret.txt"),
    expect: refused,
  },
  {
    ...rooted,
    name: "ServeFile with a folder serves files in it",
    send: get("/rooted/a.txt"),
    expect: says(200, "0123456789"),
  },
  {
    ...rooted,
    name: "ServeFile with a folder serves files in its subfolders",
    send: get("/rooted/sub/page.html"),
    expect: responds(200),
  },
  { ...files, name: "A folder is not served as a file", send: get("/files/sub"), expect: refuses() },
  {
    ...files,
    name: "A folder with a trailing slash is not served as a file",
    send: get("/files/sub/"),
    expect: either(refuses(), responds(301)),
  },
  {
    ...files,
    name: "A file name with a trailing slash is not served",
    send: get("/files/a.txt/"),
    expect: either(refuses(), responds(301)),
  },
  {
    ...files,
    name: "An invalid range is ignored or rejected",
    send: get("/files/a.txt", { Range: "bytes=abc-def" }),
    expect: either(says(200, "0123456789"), responds(416)),
  },
  {
    ...files,
    name: "A range beyond the end is rejected",
    send: get("/files/a.txt", { Range: "bytes=10-20" }),
    expect: all(responds(416), header("content-range", /^bytes \*\/10$/)),
  },
  {
    ...files,
    name: "A range with a number beyond 64 bits is ignored, truncated or rejected",
    send: get("/files/a.txt", { Range: `bytes=0-${"9".repeat(40)}` }),
    expect: either(says(206, "0123456789"), says(200, "0123456789"), responds(416)),
  },
  {
    ...files,
    name: "A suffix range longer than the file is truncated",
    send: get("/files/a.txt", { Range: `bytes=-${"9".repeat(20)}` }),
    expect: either(says(206, "0123456789"), says(200, "0123456789"), responds(416)),
  },
  {
    ...files,
    name: "A thousand overlapping ranges do not multiply the response",
    advisory: "CVE-2011-3192",
    send: get("/files/a.txt", { Range: `bytes=${Array.from({ length: 1000 }, () => "0-").join(",")}` }),
    expect: so("sends less than two copies of the file", ({ replies }) => (replies[0]?.body.length ?? 0) < 20),
  },
  {
    ...files,
    name: "A thousand small ranges do not multiply the response",
    advisory: "CVE-2024-26141",
    send: get("/files/a.txt", {
      Range: `bytes=${Array.from({ length: 1000 }, (_, i) => `${i % 9}-${i % 9}`).join(",")}`,
    }),
    expect: so("sends less than two copies of the file", ({ replies }) => (replies[0]?.body.length ?? 0) < 20),
  },
  {
    ...files,
    name: "An empty range does not cause a server error",
    send: get("/files/a.txt", { Range: "bytes=-" }),
    expect: noFault(),
  },
  {
    ...files,
    name: "A reversed range is ignored or rejected",
    send: get("/files/a.txt", { Range: "bytes=5-2" }),
    expect: either(says(200, "0123456789"), responds(416)),
  },
  {
    ...files,
    name: "A list of invalid tags does not cause a server error",
    send: get("/files/a.txt", { "If-None-Match": '"'.repeat(2000) }),
    expect: responds(200, 304),
  },
  {
    ...files,
    name: "An invalid date does not cause a 304 response",
    send: get("/files/a.txt", { "If-Modified-Since": "Thu, 99 Foo 99999 99:99:99 GMT" }),
    expect: responds(200),
  },
  {
    ...files,
    name: "HEAD sends the length without the file",
    send: request("HEAD", "/files/a.txt"),
    expect: so(
      "sends a head of 10 bytes and nothing more",
      ({ replies, text }) => headerOf(replies[0], "content-length") === "10" && text.endsWith("\r\n\r\n"),
    ),
  },
  {
    ...files,
    name: "A file does not accept POST requests",
    send: request("POST", "/files/a.txt", {}, "x"),
    expect: responds(404, 405),
  },
  {
    ...files,
    name: "The response for a missing file does not contain a local path",
    send: get("/files/nothing.txt"),
    expect: all(responds(404), never("/tmp"), never("public/")),
  },
  {
    ...sent,
    name: "The response for an unreadable file does not contain a local path",
    send: get("/file-error"),
    expect: all(responds(403, 404, 500), never("/proc"), never("denied")),
  },
  // These are last, because a server that waits for a pipe has fewer threads for other rows.
  ...["static", "files", "rooted"].map((place): Attack => ({
    needs: ["folders", "files", "rooted files"],
    name: `A pipe below /${place} does not block requests`,
    send: async (wire) => {
      const outcomes: Outcome[] = [];
      for (let i = 0; i < 3; i++) outcomes.push(await wire.send(get(`/${place}/pipe`)));
      return joined(...outcomes);
    },
    expect: so("refuses three times", ({ replies }) => replies.map((reply) => reply.status).join() === "404,404,404"),
  })),
];
