import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { linksAreMissing } from "../../skipped.ts";
import { overSocket, quiet } from "../../serving.ts";
import { withSite } from "./site.ts";

Deno.test("Party.HandleDir() serves files with their types, indexes and redirects to folders", async () => {
  await withSite({}, async (ask) => {
    const script = await ask("/static/app.js");
    assertEquals([script.text, script.headers.get("content-type")], ["let app;", "text/javascript; charset=UTF-8"]);
    assertEquals(script.headers.get("cache-control"), "no-cache");
    for (const prefix of ["", "/static"]) {
      assertEquals((await ask(`${prefix}/`)).text, "<h1>Home</h1>");
      assertEquals((await ask(`${prefix}/docs/`)).text, "<h1>Docs</h1>");
      assertEquals((await ask(`${prefix}/docs/page.html`)).text, "<h1>Page</h1>");
      assertEquals((await ask(`${prefix}/%C3%BCn%C3%AF%20c%C3%B6de.txt`)).text, "unicode");
      const redirect = await ask(`${prefix}/docs?x=1`);
      assertEquals([redirect.status, redirect.headers.get("location")], [301, `${prefix}/docs/?x=1`]);
    }
    const root = await ask("/static?y=2");
    assertEquals([root.status, root.headers.get("location")], [301, "/static/?y=2"]);
    assertEquals((await ask("/app.js", { headers: { host: "files.example.com" } })).text, "let app;");
  });
});

Deno.test("Party.HandleDir() serves HEAD, ranges and 304, and responds with 404 to folders without an index", async () => {
  await withSite({}, async (ask) => {
    const head = await ask("/app.js", { method: "HEAD" });
    assertEquals([head.status, head.text, head.headers.get("content-length")], [200, "", "8"]);
    const part = await ask("/app.js", { headers: { range: "bytes=4-6" } });
    assertEquals([part.status, part.text], [206, "app"]);
    const tag = head.headers.get("etag") ?? "";
    assertEquals((await ask("/app.js", { headers: { "if-none-match": tag } })).status, 304);
    assertEquals((await ask("/plain/")).status, 404);
    assertEquals((await ask("/app.js/")).status, 404);
    assertEquals((await ask("/app.js", { method: "POST" })).status, 405);
  });
});

Deno.test("Party.HandleDir() sends precompressed files by Accept-Encoding", async () => {
  await withSite({}, async (ask) => {
    const get = async (encoding: string) => {
      const { text, headers } = await ask("/app.js", { headers: { "accept-encoding": encoding } });
      return [text, headers.get("content-encoding"), headers.get("vary"), headers.get("content-type")];
    };
    const type = "text/javascript; charset=UTF-8";
    assertEquals(await get("gzip, br"), ["brotli", "br", "accept-encoding", type]);
    assertEquals(await get("gzip"), ["gzip", "gzip", "accept-encoding", type]);
    assertEquals(await get("br;q=0, gzip;q=0.5"), ["gzip", "gzip", "accept-encoding", type]);
    assertEquals(await get("identity"), ["let app;", null, "accept-encoding", type]);
    assertEquals((await ask("/app.3f9a12bc.js", { headers: { "accept-encoding": "br" } })).headers.get("vary"), null);
  });
  await withSite({ Compressed: false }, async (ask) => {
    assertEquals((await ask("/app.js", { headers: { "accept-encoding": "br" } })).text, "let app;");
  });
});

Deno.test("Party.HandleDir() lets clients cache hashed names for a year, and accepts a custom rule", async () => {
  await withSite({}, async (ask) => {
    assertEquals((await ask("/app.3f9a12bc.js")).headers.get("cache-control"), "public, max-age=31536000, immutable");
  });
  await withSite({ Cache: (path) => path.startsWith("docs/") ? "max-age=60" : "no-store" }, async (ask) => {
    assertEquals((await ask("/docs/page.html")).headers.get("cache-control"), "max-age=60");
    assertEquals((await ask("/app.js")).headers.get("cache-control"), "no-store");
  });
});

Deno.test("Party.HandleDir() with ShowList lists folders with escaped names and without hidden files", async () => {
  await withSite({ ShowList: true }, async (ask) => {
    const page = await ask("/plain/");
    assertEquals(page.status, 200);
    assertStringIncludes(page.text, '<a href="./a%20%26%20b.txt">a &amp; b.txt</a>');
    if (Deno.build.os !== "windows") assertStringIncludes(page.text, "&lt;script&gt;.txt");
    assertStringIncludes(page.text, '<a href="./sub/">sub/</a>');
    assertStringIncludes(page.text, '<a href="../">');
    assert(!page.text.includes("<script>"));
    assertEquals((await ask("/static/plain")).headers.get("location"), "/static/plain/");
  });
  await withSite({ ShowList: true, IndexName: "" }, async (ask) => {
    const page = await ask("/");
    for (const hidden of [".env", ".git", "link.txt", ">up/<"]) assert(!page.text.includes(hidden), hidden);
    if (linksAreMissing === undefined) assertStringIncludes(page.text, "inside/");
    assert(!page.text.includes('"../"'));
  });
});

Deno.test("Party.HandleDir() with SPA serves the index to browsers if there is no file", async () => {
  const headers = { accept: "text/html,*/*;q=0.8" };
  await withSite({ SPA: true }, async (ask) => {
    assertEquals((await ask("/users/5", { headers })).text, "<h1>Home</h1>");
    assertEquals((await ask("/plain", { headers })).text, "<h1>Home</h1>");
    assertEquals((await ask("/missing.js", { headers: { accept: "*/*" } })).status, 404);
    assertEquals((await ask("/docs/page.html", { headers })).text, "<h1>Page</h1>");
  });
});

Deno.test("Party.HandleDir() supports Attachments, ShowHidden and FollowLinks", async () => {
  await withSite({ Attachments: true, ShowHidden: true, FollowLinks: true }, async (ask) => {
    assertStringIncludes((await ask("/app.js")).headers.get("content-disposition") ?? "", 'filename="app.js"');
    assertEquals((await ask("/.env")).text, "SECRET");
    if (linksAreMissing === undefined) assertEquals((await ask("/link.txt")).text, "SECRET");
  });
});

Deno.test("Party.HandleDir() fails at start-up if the folder is missing or is a file", async () => {
  for (const dir of ["/nowhere/at/all", new URL(import.meta.url)]) {
    const app = quiet();
    app.HandleDir("/", dir);
    await assertRejects(async () => await app.Build(), Error, "Cannot serve the folder");
  }
});

Deno.test("Party.Favicon() serves the icon", async () => {
  const file = await Deno.makeTempFile({ suffix: ".ico" });
  try {
    await Deno.writeTextFile(file, "icon");
    const app = quiet();
    app.Favicon(file);
    await overSocket(app, async (ask) => {
      const icon = await ask("/favicon.ico");
      assertEquals([icon.text, icon.headers.get("content-type")], ["icon", "image/vnd.microsoft.icon"]);
    });
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("HandleDir() with SPA does not respond below a party that has routes", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/index.html`, "app");
    const app = quiet();
    app.HandleDir("/", folder, { SPA: true });
    app.Party("/api").Get("/teas", (ctx) => ctx.JSON([]));
    app.Party("/users/{id:int}").Get("/posts", (ctx) => ctx.JSON([]));
    app.Party("/empty");
    await overSocket(app, async (ask) => {
      const headers = { accept: "text/html" };
      const status = async (path: string, method = "GET") => (await ask(path, { method, headers })).status;
      assertEquals(await status("/somewhere"), 200);
      assertEquals(await status("/empty/page"), 200);
      assertEquals(await status("/apis"), 200);
      assertEquals(await status("/api/teas"), 200);
      assertEquals(await status("/api/nowhere"), 404);
      assertEquals(await status("/api"), 404);
      assertEquals(await status("/api//nowhere"), 404);
      assertEquals(await status("/users/7/nowhere"), 404);
      assertEquals(await status("/api/nowhere", "POST"), 404);
      assertEquals(await status("/api/teas", "POST"), 405);
      assertEquals(await status("/somewhere", "POST"), 405);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
