import { assert } from "@std/assert";
import { sendBytes } from "../serving.ts";
import { withSite } from "./site.ts";

/** Spellings that lead out of a folder somewhere, or to something hidden; each is tried below three prefixes. */
const climbs = [
  "../secret.txt",
  "..%2fsecret.txt",
  "%2e%2e/secret.txt",
  "%2e%2e%2fsecret.txt",
  "%2E%2E%2Fsecret.txt",
  ".%2e/secret.txt",
  "%2e./secret.txt",
  "..\\secret.txt",
  "..%5csecret.txt",
  "..%5Csecret.txt",
  "%2e%2e%5csecret.txt",
  "..;/secret.txt",
  "..%00/secret.txt",
  "..%252fsecret.txt",
  "%252e%252e%252fsecret.txt",
  "..%c0%afsecret.txt",
  "..%e0%80%afsecret.txt",
  "%c0%ae%c0%ae/secret.txt",
  "..%ef%bc%8fsecret.txt",
  "....//secret.txt",
  "..././secret.txt",
  "./../secret.txt",
  "//../secret.txt",
  "docs/../../secret.txt",
  "docs/%2e%2e/%2e%2e/secret.txt",
  "docs/..%2f..%2fsecret.txt",
  "docs%2f..%2f..%2fsecret.txt",
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
