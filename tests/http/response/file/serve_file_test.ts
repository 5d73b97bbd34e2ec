import { toFileUrl } from "@std/path";
import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { askInProcess, askOverSocket, quiet, type Received } from "../../../serving.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";

/** Runs a test in process and over a socket, in a folder that is removed afterwards. */
function withFolder(
  name: string,
  run: (
    scene: {
      folder: string;
      app: fw.Application;
      ask: (path: string, headers?: Record<string, string>, method?: string) => Promise<Received>;
    },
  ) => Promise<void>,
): void {
  for (const way of ["in process", "over a socket"]) {
    Deno.test(`${name}, ${way}`, async () => {
      const folder = await Deno.makeTempDir();
      const app = quiet();
      let server: Deno.HttpServer<Deno.NetAddr> | undefined;
      try {
        await run({
          folder,
          app,
          ask(path, headers = {}, method = "GET") {
            if (way === "in process") return askInProcess(app, path, { headers, method });
            server ??= Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
            return askOverSocket(server.addr.port, path, { headers, method });
          },
        });
      } finally {
        await server?.shutdown();
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}

withFolder("Context.ServeFile() sends a file with its type, length and date", async ({ folder, app, ask }) => {
  await Deno.writeTextFile(`${folder}/page.html`, "<p>ü</p>");
  await Deno.utime(`${folder}/page.html`, 1e9, 1e9);
  await Deno.writeFile(`${folder}/raw.unknown-type`, new Uint8Array([0, 1, 255]));
  await Deno.writeTextFile(`${folder}/data.json`, "{}");
  await Deno.writeTextFile(`${folder}/empty.txt`, "");
  app.Get("/{name}", (ctx) => ctx.ServeFile(`${folder}/${ctx.Params().Get("name")}`));
  const page = await ask("/page.html");
  assertEquals([page.status, page.text], [200, "<p>ü</p>"]);
  assertEquals(page.headers.get("content-type"), "text/html; charset=UTF-8");
  assertEquals(page.headers.get("content-length"), "9");
  assertEquals(page.headers.get("last-modified"), "Sun, 09 Sep 2001 01:46:40 GMT");
  assertEquals(page.headers.get("accept-ranges"), "bytes");
  assertEquals(page.headers.get("content-disposition"), null);
  assert(/^"[\w-]+"$/.test(page.headers.get("etag") ?? ""), page.headers.get("etag") ?? "");
  assertEquals(page.headers.get("cache-control"), "no-cache");
  const raw = await ask("/raw.unknown-type");
  assertEquals([raw.headers.get("content-type"), [...raw.bytes]], ["application/octet-stream", [0, 1, 255]]);
  assertEquals((await ask("/data.json")).headers.get("content-type"), "application/json; charset=UTF-8");
  const empty = await ask("/empty.txt");
  assertEquals([empty.status, empty.text, empty.headers.get("content-length")], [200, "", "0"]);
});

withFolder("Context.ServeFile() sends a large file whole", async ({ folder, app, ask }) => {
  const bytes = crypto.getRandomValues(new Uint8Array(65536));
  const whole = new Uint8Array(bytes.length * 20 + 7).map((_, i) => bytes[i % bytes.length] ?? 0);
  await Deno.writeFile(`${folder}/large.bin`, whole);
  app.Get("/", (ctx) => ctx.ServeFile(`${folder}/large.bin`));
  assertEquals((await ask("/")).bytes.length, whole.length);
  const part = await ask("/", { range: "bytes=65530-131080" });
  assertEquals(part.status, 206);
  assertEquals(part.bytes, whole.slice(65530, 131081));
});

withFolder("Context.ServeFile() responds with 404 if the file does not exist", async ({ folder, app, ask }) => {
  await Deno.mkdir(`${folder}/directory`);
  await Deno.writeTextFile(`${folder}/file`, "a");
  await Deno.symlink(`${folder}/nowhere`, `${folder}/dangling`);
  await Deno.symlink(`${folder}/loop`, `${folder}/loop`);
  app.Get("/{p:path}", (ctx) => ctx.ServeFile(`${folder}/${ctx.Params().Get("p")}`));
  app.OnErrorCode(404, (ctx) => ctx.WriteString("no such file"));
  for (const path of ["/nowhere", "/directory", "/file/below", "/dangling", "/loop", "/a%00b", `/${"x".repeat(300)}`]) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [404, "no such file"], path);
    assertEquals(response.headers.get("etag"), null, path);
    assertEquals(response.headers.get("content-type"), "text/plain;charset=UTF-8", path);
  }
});

withFolder("Context.ServeFile() follows a link and takes a file URL", async ({ folder, app, ask }) => {
  await Deno.writeTextFile(`${folder}/target.css`, "a");
  await Deno.symlink(`${folder}/target.css`, `${folder}/link.txt`);
  app.Get("/link", (ctx) => ctx.ServeFile(`${folder}/link.txt`));
  app.Get("/url", (ctx) => ctx.ServeFile(toFileUrl(`${folder}/target.css`)));
  assertEquals((await ask("/link")).text, "a");
  assertEquals((await ask("/url")).headers.get("content-type"), "text/css; charset=UTF-8");
});

withFolder("Context.ServeFile() serves files of odd names", async ({ folder, app, ask }) => {
  const names = [
    "a b.txt",
    "grüße.txt",
    "😀.txt",
    "100%.txt",
    "%41.txt",
    'quote".txt',
    "a'b.txt",
    "semi;colon.txt",
    "new\nline.txt",
    "-",
    ".hidden",
    "a#b?.txt",
  ];
  for (const name of names) await Deno.writeTextFile(`${folder}/${name}`, name);
  app.Get("/text/{n:int}", (ctx) => ctx.ServeFile(`${folder}/${names[ctx.Params().GetIntDefault("n", 0)]}`));
  app.Get("/url/{n:int}", (ctx) => {
    const name = names[ctx.Params().GetIntDefault("n", 0)] ?? "";
    return ctx.ServeFile(toFileUrl(`${folder}/${name}`));
  });
  app.Get("/bare", (ctx) => ctx.SendFile(new URL("100%.txt", toFileUrl(`${folder}/`))));
  app.Get("/send/{n:int}", (ctx) => ctx.SendFile(`${folder}/${names[ctx.Params().GetIntDefault("n", 0)]}`));
  for (const [n, name] of names.entries()) {
    assertEquals((await ask(`/text/${n}`)).text, name);
    assertEquals((await ask(`/url/${n}`)).text, name);
    const disposition = (await ask(`/send/${n}`)).headers.get("content-disposition") ?? "";
    const full = /; filename\*=UTF-8''([^;]*)$/.exec(disposition)?.[1] ?? "";
    assertEquals(decodeURIComponent(full), name);
    assert(
      /^attachment; filename="[ -~]*"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+$/.test(disposition),
      disposition,
    );
  }
  assertEquals((await ask("/bare")).text, "100%.txt");
});

withFolder("Context.SendFile() gives the file a name to be saved under", async ({ folder, app, ask }) => {
  await Deno.writeTextFile(`${folder}/report.csv`, "a,b");
  app.Get("/own", (ctx) => ctx.SendFile(`${folder}/report.csv`));
  app.Get("/other", (ctx) => ctx.SendFile(`${folder}/report.csv`, 'Bericht "März".csv'));
  app.Get("/evil", (ctx) => ctx.SendFile(`${folder}/report.csv`, "a\r\nx-injected: 1"));
  app.Get("/half", (ctx) => ctx.SendFile(`${folder}/report.csv`, "a\ud800"));
  app.Get(
    "/option",
    (ctx) => ctx.ServeFile(`${folder}/report.csv`, { Attachment: "x.txt", ContentType: "text/x-own" }),
  );
  const own = await ask("/own");
  assertEquals([own.text, own.headers.get("content-type")], ["a,b", "text/csv; charset=UTF-8"]);
  assertEquals(
    own.headers.get("content-disposition"),
    "attachment; filename=\"report.csv\"; filename*=UTF-8''report.csv",
  );
  assertEquals(
    (await ask("/other")).headers.get("content-disposition"),
    "attachment; filename=\"Bericht _M_rz_.csv\"; filename*=UTF-8''Bericht%20%22M%C3%A4rz%22.csv",
  );
  const evil = await ask("/evil");
  assertEquals([evil.status, evil.headers.get("x-injected")], [200, null]);
  assertEquals((await ask("/half")).status, 200);
  const option = await ask("/option");
  assertEquals(option.headers.get("content-type"), "text/x-own");
  assertEquals(option.headers.get("content-disposition"), "attachment; filename=\"x.txt\"; filename*=UTF-8''x.txt");
});

withFolder("Context.ServeFile() sends the part that was asked for", async ({ folder, app, ask }) => {
  await Deno.writeTextFile(`${folder}/letters.txt`, letters);
  app.Get("/", (ctx) => ctx.ServeFile(`${folder}/letters.txt`));
  const parts: [range: string, body: string, header: string][] = [
    ["bytes=0-0", "a", "bytes 0-0/26"],
    ["bytes=2-4", "cde", "bytes 2-4/26"],
    ["bytes=23-", "xyz", "bytes 23-25/26"],
    ["bytes=-2", "yz", "bytes 24-25/26"],
    ["bytes=0-", letters, "bytes 0-25/26"],
    ["bytes=20-99", "uvwxyz", "bytes 20-25/26"],
    ["bytes=-99", letters, "bytes 0-25/26"],
  ];
  for (const [range, body, header] of parts) {
    const response = await ask("/", { range });
    assertEquals([response.status, response.text, response.headers.get("content-range")], [206, body, header], range);
    assertEquals(response.headers.get("content-length"), String(body.length), range);
  }
});

withFolder(
  "Context.ServeFile() sends the whole where a range cannot be read, and 416 where it lies outside",
  async ({ folder, app, ask }) => {
    await Deno.writeTextFile(`${folder}/letters.txt`, letters);
    await Deno.writeTextFile(`${folder}/empty.txt`, "");
    app.Get("/", (ctx) => ctx.ServeFile(`${folder}/letters.txt`));
    app.Get("/empty", (ctx) => ctx.ServeFile(`${folder}/empty.txt`));
    for (const range of ["bytes=4-2", "bytes=x", "lines=1-2", "bytes=0-20,4-25", "bytes"]) {
      const response = await ask("/", { range });
      assertEquals(
        [response.status, response.text, response.headers.get("content-range")],
        [200, letters, null],
        range,
      );
    }
    for (const range of ["bytes=26-", "bytes=100-200", "bytes=-0"]) {
      const response = await ask("/", { range });
      assertEquals([response.status, response.headers.get("content-range")], [416, "bytes */26"], range);
      assertEquals(response.text, "Range Not Satisfiable");
      for (const name of ["etag", "last-modified", "cache-control"]) {
        assertEquals(response.headers.get(name), null, name);
      }
      assertEquals(response.headers.get("content-type"), "text/plain;charset=UTF-8");
    }
    assertEquals((await ask("/empty", { range: "bytes=0-" })).status, 416);
    assertEquals((await ask("/empty")).status, 200);
  },
);

withFolder("Context.ServeFile() responds with 304 to a client that has the file", async ({ folder, app, ask }) => {
  const path = `${folder}/letters.txt`;
  await Deno.writeTextFile(path, letters);
  await Deno.utime(path, 1e9, 1e9);
  app.Get("/", (ctx) => ctx.ServeFile(path));
  const first = await ask("/");
  const tag = first.headers.get("etag") ?? "";
  const date = first.headers.get("last-modified") ?? "";
  const known: Record<string, string>[] = [
    { "if-none-match": tag },
    { "if-none-match": `"other", ${tag}` },
    { "if-none-match": "*" },
    { "if-modified-since": date },
    { "if-modified-since": "Sun, 09 Sep 2001 01:46:41 GMT" },
    { "if-none-match": tag, "if-modified-since": "Sat, 08 Sep 2001 00:00:00 GMT" },
    { "if-none-match": tag, range: "bytes=0-1" },
  ];
  for (const headers of known) {
    const response = await ask("/", headers);
    assertEquals([response.status, response.text], [304, ""], JSON.stringify(headers));
    assertEquals([response.headers.get("etag"), response.headers.get("cache-control")], [tag, "no-cache"]);
    for (const name of ["content-type", "content-length", "last-modified", "accept-ranges"]) {
      assertEquals(response.headers.get(name), null, name);
    }
  }
  const unknown: Record<string, string>[] = [
    { "if-none-match": '"other"' },
    { "if-none-match": '"other"', "if-modified-since": date },
    { "if-modified-since": "Sat, 08 Sep 2001 00:00:00 GMT" },
    { "if-modified-since": "nonsense" },
    { "if-modified-since": "9999" },
    { "if-modified-since": "2100-01-01" },
  ];
  for (const headers of unknown) assertEquals((await ask("/", headers)).text, letters, JSON.stringify(headers));
  await Deno.writeTextFile(path, "changed");
  assertEquals((await ask("/", { "if-none-match": tag })).text, "changed");
});

withFolder("Context.ServeFile() sends a part only of what the client knows", async ({ folder, app, ask }) => {
  const path = `${folder}/letters.txt`;
  await Deno.writeTextFile(path, letters);
  await Deno.utime(path, 1e9, 1e9);
  app.Get("/", (ctx) => ctx.ServeFile(path));
  const { headers } = await ask("/");
  const date = headers.get("last-modified") ?? "";
  const tag = headers.get("etag") ?? "";
  assertEquals((await ask("/", { range: "bytes=0-1", "if-range": tag })).text, "ab");
  assertEquals((await ask("/", { range: "bytes=0-1", "if-range": `W/${tag}` })).text, letters);
  assertEquals((await ask("/", { range: "bytes=0-1", "if-range": date })).text, "ab");
  assertEquals((await ask("/", { range: "bytes=0-1", "if-range": "Sat, 08 Sep 2001 00:00:00 GMT" })).text, letters);
  assertEquals((await ask("/", { range: "bytes=0-1", "if-range": '"other"' })).text, letters);
  assertEquals((await ask("/", { range: "bytes=0-1", "if-range": "nonsense" })).text, letters);
});

withFolder(
  "Context.ServeFile() responds to HEAD with the headers alone, and leaves no file open",
  async ({ folder, app, ask }) => {
    await Deno.writeTextFile(`${folder}/letters.txt`, letters);
    app.Get("/", (ctx) => ctx.ServeFile(`${folder}/letters.txt`));
    const get = await ask("/");
    const head = await ask("/", {}, "HEAD");
    assertEquals([head.status, head.text, head.headers.get("content-length")], [200, "", "26"]);
    assertEquals(head.headers.get("etag"), get.headers.get("etag"));
    assertEquals((await ask("/nowhere", {}, "HEAD")).status, 404);
  },
);

withFolder(
  "Context.ServeFile() leaves no file open when another response takes its place",
  async ({ folder, app, ask }) => {
    await Deno.writeTextFile(`${folder}/letters.txt`, letters);
    const served: fw.Handler = (ctx) => ctx.ServeFile(`${folder}/letters.txt`);
    const parties: Record<string, fw.Handler> = {
      "/response": async (ctx) => (await ctx.Next(), new Response("instead")),
      "/throw": async (ctx) => {
        await ctx.Next();
        throw new fw.HTTPError(400, "instead");
      },
      "/redirect": async (ctx) => (await ctx.Next(), ctx.Redirect("/")),
      "/null": async (ctx) => (await ctx.Next(), ctx.StatusCode(204)),
      "/again": async (ctx) => (await ctx.Next(), await served(ctx)),
    };
    for (const [path, handler] of Object.entries(parties)) app.Get(path, handler, served);
    assertEquals((await ask("/response")).text, "instead");
    const thrown = await ask("/throw");
    assertEquals([thrown.status, thrown.text, thrown.headers.get("etag")], [400, "instead", null]);
    assertEquals((await ask("/redirect")).headers.get("etag"), null);
    assertEquals((await ask("/null")).status, 204);
    assertEquals((await ask("/again")).text, letters);
  },
);

Deno.test({
  name: "Context.ServeFile() responds with 403 if the operating system denies access to the file",
  ignore: Deno.uid() === 0,
  async fn() {
    const app = quiet();
    const file = await Deno.makeTempFile();
    try {
      await Deno.chmod(file, 0);
      app.Get("/", (ctx) => ctx.ServeFile(file));
      const response = await app.fetch(new Request("http://localhost/"));
      assertEquals([response.status, await response.text()], [403, "Forbidden"]);
    } finally {
      await Deno.remove(file);
    }
  },
});

/** Serves a file in a process with the given permissions and returns its output. */
async function servedWith(file: string, ...permissions: string[]): Promise<string> {
  const script = `
    import * as fw from "./mod.ts";
    const app = fw.New();
    app.Logger().SetOutput(Deno.stdout);
    app.Get("/", (ctx) => ctx.ServeFile(${JSON.stringify(file)}));
    const response = await app.fetch(new Request("http://localhost/"));
    console.log(response.status, await response.text());
  `;
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", ...permissions, "-"],
    cwd: new URL("../../../../", import.meta.url),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  await new Response(script).body?.pipeTo(child.stdin);
  const { stdout, stderr } = await child.output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

Deno.test("Context.ServeFile() responds with a bare 500, not 404, if Deno lacks the read permission", async () => {
  const text = await servedWith("/etc/hostname");
  assert(text.includes("500 Internal Server Error"), text);
  assert(text.includes('Cannot serve the file "/etc/hostname"'), text);
});

Deno.test("Context.ServeFile() needs no permission for the folder of a file", async () => {
  const file = await Deno.makeTempFile({ suffix: ".txt" });
  try {
    await Deno.writeTextFile(file, "text");
    assertEquals(await servedWith(file, `--allow-read=${file}`), "200 text\n");
  } finally {
    await Deno.remove(file);
  }
});

withFolder(
  "Context.ServeFile() keeps headers that were set for the file off its errors",
  async ({ folder, app, ask }) => {
    await Deno.writeTextFile(`${folder}/letters.txt`, letters);
    app.Get("/{name}", (ctx) => {
      ctx.ContentType("image/png");
      ctx.Header("cache-control", "public, max-age=31536000, immutable");
      ctx.Header("content-disposition", "inline");
      ctx.Header("content-encoding", "br");
      ctx.Header("access-control-allow-origin", "*");
      return ctx.ServeFile(`${folder}/${ctx.Params().Get("name")}`);
    });
    for (
      const [path, headers, status] of [
        ["/nowhere", {}, 404],
        ["/letters.txt", { range: "bytes=99-" }, 416],
        ["/letters.txt", { "if-match": '"other"' }, 412],
      ] as const
    ) {
      const response = await ask(path, headers);
      assertEquals([response.status, response.headers.get("content-type")], [status, "text/plain;charset=UTF-8"]);
      for (const name of ["cache-control", "content-disposition", "content-encoding"]) {
        assertEquals(response.headers.get(name), null, name);
      }
      assertEquals(response.headers.get("access-control-allow-origin"), "*");
    }
    const found = await ask("/letters.txt");
    assertEquals(found.headers.get("content-type"), "image/png");
    assertEquals(found.headers.get("cache-control"), "public, max-age=31536000, immutable");
  },
);

withFolder("Context.ServeFile() does not lead up by a path with dots", async ({ folder, app, ask }) => {
  await Deno.mkdir(`${folder}/public`);
  await Deno.writeTextFile(`${folder}/public/a.txt`, "public");
  await Deno.writeTextFile(`${folder}/secret.txt`, "SECRET");
  const here = Deno.cwd();
  Deno.chdir(folder);
  try {
    app.Get("/serve/{f:path}", (ctx) => ctx.ServeFile(`public/${ctx.Params().Get("f")}`));
    app.Get("/send/{f:path}", (ctx) => ctx.SendFile(`public/${ctx.Params().Get("f")}`));
    app.Get("/rate/{f:path}", (ctx) => ctx.SendFileWithRate(`public/${ctx.Params().Get("f")}`, 1e9));
    const joined = (ctx: fw.Context) => `${folder}/public/${ctx.URLParam("f")}`;
    app.Get("/absolute/serve", (ctx) => ctx.ServeFile(joined(ctx)));
    app.Get("/absolute/send", (ctx) => ctx.SendFile(joined(ctx)));
    app.Get("/absolute/rate", (ctx) => ctx.SendFileWithRate(joined(ctx), 1e9));
    app.Get("/url", (ctx) => ctx.ServeFile(new URL("public/../secret.txt", toFileUrl(`${folder}/`))));
    for (const way of ["serve", "send", "rate"]) {
      assertEquals((await ask(`/absolute/${way}?f=a.txt`)).text, "public");
      for (const path of ["../secret.txt", "..\\secret.txt", "x/../../secret.txt", "a.txt/..", ".."]) {
        assertEquals((await ask(`/absolute/${way}?f=${encodeURIComponent(path)}`)).status, 404, path);
      }
      assertEquals((await ask(`/${way}/a.txt`)).text, "public");
      for (const path of ["..%2fsecret.txt", "%2e%2e%2fsecret.txt", "x%2f..%2f..%2fsecret.txt", "..%5csecret.txt"]) {
        assertEquals((await ask(`/${way}/${path}`)).status, 404, path);
      }
    }
    // A URL contains no dot segments, so its author knows where it leads.
    assertEquals((await ask("/url")).text, "SECRET");
  } finally {
    Deno.chdir(here);
  }
});

withFolder(
  "Context.ServeFile() with Root serves what is in the folder, and nothing else",
  async ({ folder, app, ask }) => {
    await Deno.mkdir(`${folder}/public/sub`, { recursive: true });
    await Deno.writeTextFile(`${folder}/public/a.txt`, "a");
    await Deno.writeTextFile(`${folder}/public/sub/b.txt`, "b");
    await Deno.writeTextFile(`${folder}/public/.env`, "SECRET");
    await Deno.writeTextFile(`${folder}/secret.txt`, "SECRET");
    await Deno.symlink(`${folder}/secret.txt`, `${folder}/public/out.txt`);
    await Deno.symlink(`${folder}`, `${folder}/public/up`);
    await Deno.symlink(`${folder}/public/sub`, `${folder}/public/in`);
    const roots = { text: `${folder}/public`, slash: `${folder}/public/`, url: toFileUrl(`${folder}/public`) };
    for (const [name, Root] of Object.entries(roots)) {
      app.Get(`/${name}/{f:path}`, (ctx) => ctx.ServeFile(ctx.Params().Get("f"), { Root }));
      app.Get(`/${name}-url/{f:path}`, (ctx) => {
        return ctx.ServeFile(new URL(ctx.Params().Get("f"), toFileUrl(`${folder}/public/`)), { Root });
      });
    }
    for (const name of Object.keys(roots)) {
      for (const way of [name, `${name}-url`]) {
        assertEquals((await ask(`/${way}/a.txt`)).text, "a");
        assertEquals((await ask(`/${way}/sub/b.txt`)).text, "b");
        assertEquals((await ask(`/${way}/in/b.txt`)).text, "b");
        for (
          const path of [
            ".env",
            "%2eenv",
            "..%2fsecret.txt",
            "sub%2f..%2f..%2fsecret.txt",
            "..%5csecret.txt",
            "out.txt",
            "up/secret.txt",
            "up/public/.env",
            "sub",
            "nowhere",
            // A URL ends before a NUL byte.
            ...way === name ? ["a.txt%00"] : [],
            `%2f${folder.slice(1)}/secret.txt`,
            "%2fetc%2fhostname",
          ]
        ) {
          const response = await ask(`/${way}/${path}`);
          assertEquals([response.status, response.text], [404, "Not Found"], `${way} ${path}`);
        }
      }
    }
  },
);

withFolder("Context.ServeFile() sends several parts as multipart/byteranges", async ({ folder, app, ask }) => {
  await Deno.writeTextFile(`${folder}/letters.txt`, letters);
  await Deno.writeTextFile(`${folder}/large.txt`, letters.repeat(100_000));
  app.Get("/{name}", (ctx) => ctx.ServeFile(`${folder}/${ctx.Params().Get("name")}`));
  for (
    const [name, ranges, parts] of [
      ["letters.txt", "bytes=0-1,4-5,-2", [["0-1/26", "ab"], ["4-5/26", "ef"], ["24-25/26", "yz"]]],
      ["letters.txt", "bytes=4-5, 0-0, 99-", [["4-5/26", "ef"], ["0-0/26", "a"]]],
      ["large.txt", "bytes=26-1299999,2599974-", [
        ["26-1299999/2600000", letters.repeat(49_999)],
        ["2599974-2599999/2600000", letters],
      ]],
    ] as const
  ) {
    const response = await ask(`/${name}`, { range: ranges });
    assertEquals(response.status, 206);
    assertEquals(response.headers.get("content-range"), null);
    const boundary = /^multipart\/byteranges; boundary=([0-9a-f]{32})$/.exec(response.headers.get("content-type") ?? "")
      ?.[1];
    const expected = parts.map(([range, text]) =>
      `--${boundary}\r\ncontent-type: text/plain; charset=UTF-8\r\ncontent-range: bytes ${range}\r\n\r\n${text}\r\n`
    ).join("") + `--${boundary}--\r\n`;
    assertEquals(response.text === expected, true, `${ranges}: ${response.text.slice(0, 500)}`);
    assertEquals(response.headers.get("content-length"), String(expected.length));
  }
});

withFolder("Context.ServeFile() refuses what has changed for a client that resumes", async ({ folder, app, ask }) => {
  const path = `${folder}/letters.txt`;
  await Deno.writeTextFile(path, letters);
  await Deno.utime(path, 1e9, 1e9);
  app.Get("/", (ctx) => ctx.ServeFile(path));
  const tag = (await ask("/")).headers.get("etag") ?? "";
  const [date, before] = ["Sun, 09 Sep 2001 01:46:40 GMT", "Sun, 09 Sep 2001 01:46:39 GMT"];
  const range = "bytes=20-";
  for (
    const headers of [
      { "if-match": tag, range },
      { "if-match": `"other", ${tag}`, range },
      { "if-match": "*", range },
      { "if-unmodified-since": date, range },
      // An entity tag takes precedence over a date.
      { "if-match": tag, "if-unmodified-since": before, range },
      { "if-unmodified-since": "nonsense", range },
    ] as Record<string, string>[]
  ) assertEquals((await ask("/", headers)).text, "uvwxyz", JSON.stringify(headers));
  for (
    const headers of [
      { "if-match": '"other"' },
      { "if-match": `W/${tag}` },
      { "if-match": "" },
      { "if-match": '"other"', "if-unmodified-since": date },
      { "if-match": '"other"', "if-none-match": tag },
      { "if-unmodified-since": before },
      { "if-unmodified-since": before, "if-none-match": tag },
    ] as Record<string, string>[]
  ) {
    const response = await ask("/", { ...headers, range });
    assertEquals([response.status, response.text], [412, "Precondition Failed"], JSON.stringify(headers));
  }
});

withFolder(
  "Context.ServeFile() looks at a file before it opens it: a pipe would wait",
  async ({ folder, app, ask }) => {
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    app.Get("/pipe", (ctx) => ctx.ServeFile(`${folder}/pipe`));
    app.Get("/device", (ctx) => ctx.ServeFile("/dev/zero"));
    app.Get("/socket", (ctx) => ctx.ServeFile(`${folder}/socket`));
    using _listener = Deno.listen({ transport: "unix", path: `${folder}/socket` });
    for (const path of ["/pipe", "/device", "/socket"]) assertEquals((await ask(path)).status, 404, path);
  },
);

withFolder("Context.SendFileWithRate() sends no faster than the rate limit", async ({ folder, app, ask }) => {
  await Deno.writeFile(`${folder}/data.bin`, new Uint8Array(30_000).fill(7));
  app.Get("/", (ctx) => ctx.SendFileWithRate(`${folder}/data.bin`, 100_000, { Burst: 10_000 }));
  app.Get("/named", (ctx) => ctx.SendFileWithRate(`${folder}/data.bin`, 1e9, { Attachment: "x.bin" }));
  app.Get("/bad", (ctx) => ctx.SendFileWithRate(`${folder}/data.bin`, 0));
  const begin = performance.now();
  const response = await ask("/");
  // The first 10,000 bytes are sent immediately, and the others take a fifth of a second.
  assert(performance.now() - begin > 180, "too fast");
  assertEquals([response.bytes.length, response.headers.get("content-length")], [30_000, "30000"]);
  assert(response.headers.get("content-disposition")?.includes('filename="data.bin"'));
  assert((await ask("/named")).headers.get("content-disposition")?.includes('filename="x.bin"'));
  assertEquals((await ask("/bad")).status, 500);
});

withFolder(
  "Context.ServeFile() of a pipe is 404, however often it is asked for: to open one would stop the process",
  async ({ folder, app, ask }) => {
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    app.Get("/pipe", (ctx) => ctx.ServeFile(`${folder}/pipe`));
    for (let i = 0; i < 3; i++) assertEquals((await ask("/pipe")).status, 404);
  },
);

withFolder(
  "Context.ServeFile() tells two files of one size and moment apart by tags that do not tell where they lie",
  async ({ folder, app, ask }) => {
    app.Get("/{f}", (ctx) => ctx.ServeFile(`${folder}/${ctx.Params().Get("f")}`));
    const moment = new Date(1_700_000_000_000);
    const tags = new Set<string>();
    for (const name of ["a.txt", "b.txt"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "same");
      await Deno.utime(`${folder}/${name}`, moment, moment);
      const tag = (await ask(`/${name}`)).headers.get("etag") ?? "";
      const { ino } = await Deno.stat(`${folder}/${name}`);
      assertEquals(tag.slice(1, -1).split("-").includes((ino ?? 0).toString(36)), false, tag);
      tags.add(tag);
    }
    assertEquals(tags.size, 2);
  },
);
