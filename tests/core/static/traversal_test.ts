import { assert, assertEquals } from "@std/assert";
import { overSocket, quiet, sendBytes } from "../../serving.ts";
import { withSite } from "./site.ts";

/** Spellings of two dots and a slash that have fooled servers, proxies and operating systems. */
const dots = ["..", "%2e%2e", ".%2e", "%2E.", "..%00", "..%09", "..%20", "..;x=1", "%252e%252e", "%uff0e%uff0e"];
const slashes = ["/", "//", "%2f", "%2F", "%5c", "\\", "%252f", "%c0%af", "%ef%bc%8f", "/./", "%2f%2e%2f", "%00/"];

/** Spellings that lead out of a folder on some systems, or to a hidden file. Each one is tested with three prefixes. */
const climbs = [
  ...new Set(dots.flatMap((up) => slashes.map((slash) => `${up}${slash}secret.txt`))),
  ...slashes.map((slash) => `docs${slash}..${slash}..${slash}secret.txt`),
  "%2E%2E%2Fsecret.txt",
  "%2e./secret.txt",
  "..%5Csecret.txt",
  "..;/secret.txt",
  "..%e0%80%afsecret.txt",
  "%c0%ae%c0%ae/secret.txt",
  "....//secret.txt",
  "..././secret.txt",
  "./../secret.txt",
  "//../secret.txt",
  "docs/%2e%2e/%2e%2e/secret.txt",
  "docs/..%2f..%2fsecret.txt",
  "../site-other/x.txt",
  "%2e%2e/site-other/x.txt",
  "../site/../secret.txt",
  ".env",
  "%2eenv",
  ".git/config",
  "%2egit/config",
  "docs/../.env",
  "docs/%2e%2e/.env",
  ".env%00.txt",
  ".env/",
  "./.env",
  "%2e/.env",
  "link.txt",
  "link.txt%00",
  "up/secret.txt",
  "up/site/.env",
  "up/site-other/x.txt",
  "inside/../../secret.txt",
];

for (const prefix of ["/", "/static/", "/static//"]) {
  const name = `Party.HandleDir() serves nothing outside of its folder by ${climbs.length} spellings below "${prefix}"`;
  Deno.test(name, async () => {
    await withSite({ ShowList: true }, async (_ask, port) => {
      for (const climb of climbs) {
        const request = `GET ${prefix}${climb} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
        const response = new TextDecoder().decode(await sendBytes(port, new TextEncoder().encode(request)));
        assert(!response.includes("SECRET"), `${prefix}${climb}: ${response.slice(0, 200)}`);
        assert(!/^HTTP\/1\.1 5/.test(response), `${prefix}${climb}: ${response.slice(0, 200)}`);
      }
    });
  });
}

Deno.test("Party.HandleDir() does not treat an escaped slash as a separator, so that guards below it apply", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/admin`);
    await Deno.writeTextFile(`${folder}/admin/keys.txt`, "SECRET");
    const app = quiet();
    app.HandleDir("/static", folder);
    const guarded = app.Party("/static/admin");
    guarded.Use((ctx) => ctx.StopWithStatus(403));
    guarded.HandleDir("/", `${folder}/admin`);
    await overSocket(app, async (ask) => {
      assertEquals((await ask("/static/admin/keys.txt")).status, 403);
      for (
        const path of ["admin%2fkeys.txt", "admin%2Fkeys.txt", "%2fadmin/keys.txt", "admin/%2fkeys.txt", "admin%2f"]
      ) {
        const { status, text } = await ask(`/static/${path}`);
        assert([403, 404].includes(status), `${path} ${status}`);
        assert(!text.includes("SECRET"), path);
      }
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
