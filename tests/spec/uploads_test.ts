import { assertEquals, assertInstanceOf, assertRejects, assertStrictEquals } from "@std/assert";
import { join } from "@std/path";
import * as fw from "../../mod.ts";
import { bothWays, quiet } from "../serving.ts";
import { field } from "../testdata/forms/cases.ts";
import { forms, responding, told, upload } from "../testdata/forms/questions.ts";

/** Creates a folder that is removed after the test, and an application that saves to it. */
function saving(...before: fw.UploadHook[]): { app: fw.Application; folder: string; results: fw.Parsed<bigint>[] } {
  const folder = Deno.makeTempDirSync({ prefix: "spec-" });
  const results: fw.Parsed<bigint>[] = [];
  const app = quiet();
  app.Post("/", async (ctx) => {
    const result = await ctx.UploadFormFiles(join(folder, "in"), ...before);
    results.push(result);
    ctx.JSON([...told(result), await ctx.PostValue("note")]);
  });
  return { app, folder, results };
}

function saved(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name } of Deno.readDirSync(join(folder, "in"))) {
    found[name] = Deno.readTextFileSync(join(folder, "in", name));
  }
  return found;
}

/** Registers two tests for one clause about uploads. */
function uploads(
  name: string,
  before: fw.UploadHook[],
  run: (ask: Parameters<Parameters<typeof bothWays>[2]>[0], made: ReturnType<typeof saving>) => Promise<void>,
): void {
  let made: ReturnType<typeof saving>;
  bothWays(name, () => (made = saving(...before)).app, async (ask) => {
    try {
      await run(ask, made);
    } finally {
      Deno.removeSync(made.folder, { recursive: true });
    }
  });
}

uploads("spec 2.2.1: all files are copied, and their total length is returned as int64", [], async (ask, made) => {
  const { text } = await ask("/", upload(["a", "a.txt", "one"], ["b", "b.txt", "three"]));
  assertEquals(JSON.parse(text), [8, false, ""]);
  assertEquals(typeof made.results[0]?.[0], "bigint");
  assertEquals(saved(made.folder), { "a.txt": "one", "b.txt": "three" });
});

uploads(
  "spec 2.2.2: callbacks run for each file with the context and the header, and can change its name",
  [
    (ctx, header) => void (header.Filename = `${ctx.URLParam("as")}-${header.Filename}`),
    async (ctx, header) => void (header.Filename = `${await ctx.PostValue("note")}-${header.Filename}`),
  ],
  async (ask, made) => {
    const sent = upload(["f", "a.txt", "1"], ["f", "b.txt", "2"]);
    const body = sent.body?.replace("--X--", `${field("note", "late")}--X--`) ?? "";
    const { text } = await ask("/?as=ada", { ...sent, body });
    assertEquals(JSON.parse(text), [2, false, "late"]);
    assertEquals(saved(made.folder), { "late-ada-a.txt": "1", "late-ada-b.txt": "2" });
  },
);

uploads(
  "spec 2.2.3: a file that cannot be created causes a non-nil error",
  [(_ctx, header) => void (header.Filename = "taken")],
  async (ask, made) => {
    Deno.mkdirSync(join(made.folder, "in", "taken"), { recursive: true });
    const { text } = await ask("/", upload(["f", "a.txt", "1"]));
    assertEquals(JSON.parse(text), [0, true, ""]);
    assertEquals([...Deno.readDirSync(join(made.folder, "in"))].map(({ name }) => name), ["taken"]);
  },
);

uploads("spec 2.2.4: ErrMissingFile is returned if no file was received", [], async (ask, made) => {
  for (const form of [...forms([["note", "1"]]), upload(["f", "", ""]), { method: "POST" }]) await ask("/", form);
  assertEquals(made.results.length, 4);
  for (const [total, error] of made.results) {
    assertEquals(total, 0n);
    assertStrictEquals(error, fw.ErrMissingFile);
  }
});

Deno.test("spec 2.2.5: a body that arrives in chunks is saved like any other", async () => {
  const { app, folder, results } = saving();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  const sent = upload(["files[]", "a.txt", "x".repeat(500_000)]);
  const stream = new Blob([sent.body ?? ""]).stream();
  for (const body of [stream, sent.body ?? ""]) {
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`, {
      method: "POST",
      body,
      headers: sent.headers ?? {},
    });
    await response.body?.cancel();
    assertEquals([results.pop(), saved(folder)], [[500_000n, null], { "a.txt": "x".repeat(500_000) }]);
  }
  await server.shutdown();
  Deno.removeSync(folder, { recursive: true });
});

bothWays(
  "spec 2.2.6: `FormFile` can be used instead",
  responding(async (ctx) => {
    const folder = await Deno.makeTempDir();
    const [opened, header, error] = await ctx.FormFile("f");
    if (opened === null || header === null) throw error;
    await Deno.writeFile(join(folder, header.Filename), opened.stream());
    const text = await Deno.readTextFile(join(folder, header.Filename));
    await Deno.remove(folder, { recursive: true });
    return text;
  }),
  async (ask) => assertEquals((await ask("/", upload(["f", "a.txt", "by hand"]))).text, '"by hand"'),
);

uploads("spec 2.2.7: several files can be sent under the name `files[]`", [], async (ask, made) => {
  await ask("/", upload(["files[]", "a.txt", "1"], ["files[]", "b.txt", "2"], ["files[]", "a.txt", "3"]));
  assertEquals(made.results, [[3n, null]]);
  assertEquals(saved(made.folder), { "a.txt": "1", "b.txt": "2", "a (1).txt": "3" });
});

/** Creates the upload route of the specification, with a limit of 5 MiB. */
function limited(): { app: fw.Application; folder: string } {
  const folder = Deno.makeTempDirSync({ prefix: "spec-" });
  const app = quiet();
  app.Post("/upload", fw.LimitRequestBodySize(5 << 20), async (ctx) => {
    const [, error] = await ctx.UploadFormFiles(join(folder, "in"));
    if (error !== null) throw error;
  });
  return { app, folder };
}

for (const [clause, way] of [["4.2", "saved"], ["8", "limited to exactly 5 << 20 bytes"]] as const) {
  let made: ReturnType<typeof limited>;
  bothWays(`spec ${clause}: POST /upload is ${way}`, () => (made = limited()).app, async (ask) => {
    try {
      const frame = upload(["files[]", "a.bin", ""]).body?.length ?? 0;
      const fitting = upload(["files[]", "a.bin", "x".repeat((5 << 20) - frame)]);
      assertEquals((await ask("/upload", fitting)).status, 200);
      assertEquals(Deno.statSync(join(made.folder, "in", "a.bin")).size, (5 << 20) - frame);
      const larger = upload(["files[]", "b.bin", "x".repeat((5 << 20) - frame + 1)]);
      assertEquals((await ask("/upload", larger)).status, 413);
      assertEquals(Object.keys(saved(made.folder)), ["a.bin"]);
    } finally {
      Deno.removeSync(made.folder, { recursive: true });
    }
  });
}

/** Reports whether a file still exists after its request has ended. Files in memory do, but files on disk do not. */
async function outlives(opened: File | null): Promise<boolean> {
  try {
    await opened?.slice(0, 1).text();
    return true;
  } catch (error) {
    assertInstanceOf(error, fw.FrameworkError);
    return false;
  }
}

/** Runs an application with configurators. */
async function running(
  app: fw.Application,
  configure: fw.Configurator[],
  work: (base: string) => Promise<void>,
): Promise<void> {
  const listening = Promise.withResolvers<number>();
  const done = app.Run(
    fw.Addr("127.0.0.1:0"),
    ...configure,
    fw.WithoutStartupLog,
    fw.WithOnListen((addr) => listening.resolve((addr as Deno.NetAddr).port)),
  );
  await work(`http://127.0.0.1:${await listening.promise}`);
  await app.Shutdown();
  await done;
}

for (
  const [row, configure, size] of [
    ["the default maximum memory of form parsing is 32 MB", [], 32 << 20],
    ["`WithPostMaxMemory` changes it", [fw.WithPostMaxMemory(1000)], 1000],
  ] as const
) {
  Deno.test(`spec 8: ${row}: larger files are stored on disk until the request ends, for whatever reason`, async () => {
    const app = quiet();
    let kept: File | null = null;
    app.Post("/", async (ctx) => {
      [kept] = await ctx.FormFile("f");
      if (ctx.URLParamExists("throw")) throw new Error("in between");
      ctx.JSON([kept?.size, await kept?.slice(-1).text()]);
    });
    const form = new FormData();
    await running(app, [...configure], async (base) => {
      for (const path of ["/", "/?throw"]) {
        for (const [length, isInMemory] of [[size, true], [size + 1, false]] as const) {
          form.set("f", new File([new Uint8Array(length - 1), "x"], "a.bin"));
          const response = await fetch(`${base}${path}`, { method: "POST", body: form });
          assertEquals(response.status, path === "/" ? 200 : 500);
          assertEquals(await response.text(), path === "/" ? `[${length},"x"]` : "Internal Server Error");
          if (isInMemory) assertEquals(await outlives(kept), true);
          // The request ends shortly after its response has been read.
          else while (await outlives(kept)) await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
    });
  });
}

for (
  const [row, configure, size, status] of [
    ["the memory of form parsing is for files, fields have 10 MB: within them they are read", [], 10 << 20, 200],
    ["the memory of form parsing is for files, fields have 10 MB: beyond them they are 413", [], (10 << 20) + 1, 413],
    ["`WithMaxForm` changes it for fields", [fw.WithMaxForm(12 << 20)], 12 << 20, 200],
    [
      "`WithPostMaxMemory` leaves fields 10 MB, however little is left to files",
      [fw.WithPostMaxMemory(0)],
      10 << 20,
      200,
    ],
  ] as const
) {
  Deno.test(`spec 8: ${row}`, async () => {
    const app = quiet();
    app.Post("/", async (ctx) => ctx.JSON((await ctx.PostValue("a")).length));
    await running(app, [...configure], async (base) => {
      const response = await fetch(base, {
        method: "POST",
        body: `a=${"x".repeat(size - 2)}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      assertEquals(response.status, status);
      await response.body?.cancel();
    });
  });
}

bothWays(
  "spec 8: `LimitRequestBodySize` applies to every accessor, even if the length is not declared",
  () => {
    const app = quiet();
    const limit = fw.LimitRequestBodySize(100);
    app.Post("/value", limit, async (ctx) => ctx.JSON(await ctx.PostValue("a")));
    app.Post("/body", limit, async (ctx) => ctx.JSON((await ctx.GetBody())[1] instanceof fw.HTTPError));
    app.Post("/json", limit, async (ctx) => ctx.JSON((await ctx.ReadJSON())[1] instanceof fw.HTTPError));
    app.Post("/file", limit, async (ctx) => ctx.JSON((await ctx.FormFile("a"))[2] instanceof fw.HTTPError));
    return app;
  },
  async (ask, way) => {
    const [form] = forms([["a", "x".repeat(99)]]);
    for (const path of ["/value", "/body", "/json", "/file"]) {
      const { status } = await ask(path, form);
      // In process, no length is declared, so the limit applies when the body is read.
      const isRefused = way === "over a socket" || path === "/value";
      assertEquals(status, isRefused ? 413 : 200, path);
      if (!isRefused) assertEquals((await ask(path, form)).text, "true", path);
    }
  },
);

Deno.test("spec 8: a 413 response does not affect the next request", async () => {
  const { app, folder } = limited();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  const base = `http://127.0.0.1:${server.addr.port}/upload`;
  for (const isSized of [true, false, true, false]) {
    const large = new Blob([
      upload(["f", "a.bin", ""]).body?.split("\r\n\r\n")[0] ?? "",
      "\r\n\r\n",
      new Uint8Array(30 << 20),
    ]);
    const headers = { "content-type": "multipart/form-data; boundary=X" };
    const refused = await fetch(base, { method: "POST", body: isSized ? large : large.stream(), headers });
    assertEquals(refused.status, 413);
    await refused.body?.cancel();
    const sent = upload(["f", "b.txt", "1"]);
    const taken = await fetch(base, { method: "POST", body: sent.body ?? "", headers: sent.headers ?? {} });
    assertEquals(taken.status, 200);
    await taken.body?.cancel();
    assertEquals(saved(folder), { "b.txt": "1" });
  }
  await server.shutdown();
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("spec 2.1: files on disk cannot be read after the request has ended", async () => {
  const app = quiet();
  app.Configure(fw.WithPostMaxMemory(0));
  let kept: File | null = null;
  app.Post("/", async (ctx) => void ([kept] = await ctx.FormFile("f")));
  const sent = upload(["f", "a.txt", "hello"]);
  await app.fetch(new Request("http://localhost/", sent as RequestInit));
  assertInstanceOf(kept, File);
  await assertRejects(() => (kept as unknown as File).text(), fw.FrameworkError);
});
