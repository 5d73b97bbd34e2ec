import { assert, assertEquals, assertFalse, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs/walk";
import { relative } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { askInProcess, bothWays } from "../serving.ts";
import { withSample } from "./sample.ts";
import { newSite, read, writeSite } from "./site.ts";

/** The maximum size of a page, in bytes. */
const mostBytes = 60_000;

Deno.test("book site: a page has a title, a description, a canonical link, breadcrumbs, contents and neighbors", () =>
  withSample(async (Folder) => {
    const app = newSite({ Folder, Site: "https://fw.example/docs/" });
    const { status, text } = await askInProcess(app, "/howto/limit-upload-size.html");
    assertEquals(status, 200);
    for (
      const part of [
        "<title>Limit the size of an upload – fw</title>",
        '<meta name="description" content="Respond with 413 to large files">',
        '<link rel="canonical" href="https://fw.example/docs/howto/limit-upload-size.html">',
        '<a href="../">Book</a> <a href="../howto/index.html">How-to</a> <span>Uploads</span>',
        '<li><a href="#what-it-does-1">What it does</a></li>',
        '<a rel="prev" href="../tutorial/01-first-page.html">',
        '<a rel="next" href="../howto/accept-only-images.html">',
        'aria-current="page">Limit the size of an upload</a>',
        '<a class="skip" href="#content">',
        `<footer>The book of fw ${config.version},`,
      ]
    ) assertStringIncludes(text, part);
  }));

Deno.test("book site: code shows its file name and its language, and HTML in the source is escaped", () =>
  withSample(async (Folder) => {
    const { text } = await askInProcess(newSite({ Folder }), "/howto/limit-upload-size.html");
    assertStringIncludes(text, '<figcaption>main.ts</figcaption><pre tabindex="0"><code><span class="k">import</span>');
    assertStringIncludes(text, '<span class="s">&quot;&lt;b&gt;&quot;</span>');
    assertStringIncludes(text, "Do not run &lt;script&gt;alert(1)&lt;/script&gt; or a trap.");
    assertFalse(text.includes("javascript:"));
    assertFalse(text.includes("multer"), "the search words are shown");
    assertFalse(text.includes("client_max_body_size"), "the search words are shown");
  }));

Deno.test("book site: links lead to pages of the book, to files of the repository, or are only text", () =>
  withSample(async (Folder) => {
    const path = "/howto/limit-upload-size.html";
    const { text } = await askInProcess(newSite({ Folder }), path);
    assertStringIncludes(text, '<a href="../reference/sessions.html#stores">stores</a>, the source');
    assertStringIncludes(text, '<a href="../howto/index.html#accounts">all</a>');
    const linked = await askInProcess(newSite({ Folder, Source: "https://git.example/blob/main/" }), path);
    assertStringIncludes(linked.text, '<a href="https://git.example/blob/main/src/core/app/party.ts">source</a>');
  }));

Deno.test("book site: lists show the pages of a kind by group, and the home page links to all kinds", () =>
  withSample(async (Folder) => {
    const app = newSite({ Folder });
    const list = (await askInProcess(app, "/howto/index.html")).text;
    assertStringIncludes(list, "<p>Tasks and their <code>code</code>.</p>");
    assertStringIncludes(list, '<h2 id="uploads"><a href="#uploads">Uploads</a></h2>');
    assertStringIncludes(list, "<small>Check the first bytes</small>");
    const home = (await askInProcess(app, "/")).text;
    for (const path of ["tutorial/01-first-page.html", "howto/index.html#accounts", "reference/sessions.html"]) {
      assertStringIncludes(home, `href="./${path}"`);
    }
  }));

Deno.test("book site: pages have a strict policy, entity tags, compression and a cache", () =>
  withSample(async (Folder) => {
    const app = newSite({ Folder });
    const headers = { "accept-encoding": "gzip" };
    const first = await askInProcess(app, "/reference/sessions.html", { headers });
    const policy = first.headers.get("content-security-policy") ?? "";
    assertStringIncludes(policy, "default-src 'none'");
    assertStringIncludes(policy, "style-src 'self'");
    assertFalse(policy.includes("unsafe"), policy);
    assertEquals(first.headers.get("content-encoding"), "gzip");
    const again = await askInProcess(app, "/reference/sessions.html", {
      headers: { ...headers, "if-none-match": first.headers.get("etag") ?? "" },
    });
    assertEquals(again.status, 304);
    assertStringIncludes(
      (await askInProcess(app, "/reference/sessions.html")).headers.get("cache-status") ?? "",
      "hit",
    );
  }));

Deno.test("book site: the sitemap lists all pages, and robots.txt names it", () =>
  withSample(async (Folder) => {
    const app = newSite({ Folder, Site: "https://fw.example/docs/" });
    const sitemap = (await askInProcess(app, "/sitemap.xml")).text;
    assertEquals(Array.from(sitemap.matchAll(/<loc>([^<]+)/g), ([, url = ""]) => url.slice(24)).sort(), [
      "",
      "howto/accept-only-images.html",
      "howto/index.html",
      "howto/limit-upload-size.html",
      "howto/login-with-password.html",
      "reference/index.html",
      "reference/sessions.html",
      "tutorial/01-first-page.html",
      "tutorial/index.html",
    ]);
    assertStringIncludes((await askInProcess(app, "/robots.txt")).text, "Sitemap: https://fw.example/docs/sitemap.xml");
  }));

Deno.test("book site: the home page has the pitch, a program, a command and the repository", () =>
  withSample(async (Folder) => {
    const app = newSite({ Folder, Source: "https://git.example/fw/blob/main/" });
    const { text } = await askInProcess(app, "/");
    for (const part of ["A complete web framework", "fw.Default()", "jsr:@fw/web", "µs", "attacks"]) {
      assertStringIncludes(text, part);
    }
    assertStringIncludes(text, '<a href="https://git.example/fw">Repository</a>');
  }));

Deno.test("book site: an address without the name of the file leads to the page, and so does an old address", async () => {
  const app = newSite();
  for (const [from, to] of [["/howto", "/howto/index.html"], ["/howto/flash-message", "/howto/flash-message.html"]]) {
    const { status, headers } = await askInProcess(app, from as string);
    assertEquals([status, headers.get("location")], [301, to]);
  }
  const old = await askInProcess(app, "/howto/varnish.html");
  assertStringIncludes(old.text, 'content="0; url=../howto/other-proxies.html"');
});

Deno.test("book site: without an address, there is neither a canonical link nor a sitemap", async () => {
  const app = newSite();
  const { text } = await askInProcess(app, "/howto/flash-message.html");
  assertFalse(/canonical|localhost:8080\/howto/.test(text));
  assertFalse((await askInProcess(app, "/robots.txt")).text.includes("Sitemap"));
  assertEquals((await askInProcess(app, "/sitemap.xml")).status, 404);
});

Deno.test("book site: serves llms.txt and the pages that it links to", async () => {
  const app = newSite();
  const list = await askInProcess(app, "/llms.txt");
  assertLess(list.text.length, 60_000);
  const [, file = ""] = /\]\(\.(\/howto\/[\w-]+\.md)\)/.exec(list.text) ?? [];
  const { text, headers } = await askInProcess(app, file);
  assert(text.startsWith("# "));
  assertStringIncludes(headers.get("content-type") ?? "", "text/markdown");
});

bothWays(
  "book site: search works without scripts, and unknown addresses suggest pages",
  () => newSite(),
  async (ask) => {
    const found = await ask("/search?q=sessions");
    assertEquals(found.status, 200);
    assertMatch(found.text, /<ul class="pages" id="results"[^>]*>\s*<li><a href="\.\/\w+\/[\w-]*sessions?[\w-]*\.html/);
    assertStringIncludes((await ask("/search?q=%3Cscript%3E")).text, "“&lt;script&gt;”");
    const lost = await ask("/guide/sessions");
    assertEquals(lost.status, 404);
    assertMatch(lost.text, /<a href="\/\w+\/[\w-]*sessions?[\w-]*\.html/);
  },
);

Deno.test("book site: modules are served as JavaScript", async () => {
  const app = newSite();
  for (const name of ["search", "words"]) {
    const { text, headers } = await askInProcess(app, `/assets/${name}.js`);
    assertStringIncludes(headers.get("content-type") ?? "", "text/javascript");
    assertFalse(/\binterface\b|\.ts"|: string/.test(text), text);
  }
});

Deno.test("book site: the file of the site is complete, below 60 KB per page, and every link in it works", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await writeSite(newSite({ Site: "https://fw.example/docs/" }), folder);
    const files = new Map<string, string>();
    for await (const { path } of walk(folder, { includeDirs: false })) {
      files.set(relative(folder, path).replaceAll("\\", "/"), await Deno.readTextFile(path));
    }
    for (const { path } of read().pages) assert(files.has(path), path);
    for (
      const name of ["404.html", "search.html", "sitemap.xml", "robots.txt", "assets/search.json", "assets/search.js"]
    ) {
      assert(files.has(name), name);
    }
    const pages = [...files].filter(([name]) => name.endsWith(".html"));
    const broken: string[] = [];
    for (const [name, text] of pages) {
      assertLess(new TextEncoder().encode(text).length, mostBytes, name);
      assertStringIncludes(text, '<meta http-equiv="content-security-policy"');
      for (const [, address = ""] of text.matchAll(/(?:href|src|action)="([^"]*)"/g)) {
        const url = new URL(address.replaceAll("&amp;", "&"), `https://fw.example/docs/${name}`);
        if (url.host !== "fw.example") continue;
        assert(url.pathname.startsWith("/docs/"), `${name} links to ${address}`);
        const file = url.pathname.slice(6).replace(/(?:^|\/)$/, "$&index.html");
        const target = files.get(file);
        const isThere = target !== undefined &&
          (url.hash === "" || target.includes(`id="${decodeURIComponent(url.hash.slice(1))}"`));
        if (!isThere) broken.push(`${name}: ${address}`);
      }
    }
    assertEquals(broken, []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
