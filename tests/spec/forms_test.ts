import { assertEquals, assertInstanceOf, assertRejects, assertStrictEquals } from "@std/assert";
import { join } from "@std/path";
import * as fw from "../../mod.ts";
import { bothWays, logged, type Question, quiet } from "../serving.ts";
import { field, file } from "../testdata/forms/cases.ts";

/** The same fields in both encodings: the accessors must not tell them apart. */
function forms(fields: readonly (readonly [string, string])[]): Question[] {
  const plain = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
  const parts = `${fields.map(([name, value]) => field(name, value)).join("")}--X--\r\n`;
  return [
    { method: "POST", body: plain, headers: { "content-type": "application/x-www-form-urlencoded" } },
    { method: "POST", body: parts, headers: { "content-type": "multipart/form-data; boundary=X" } },
  ];
}

/** A request with files. */
function upload(...files: (readonly [field: string, name: string, text: string])[]): Question {
  const body = `${files.map(([key, name, text]) => file(key, name, text)).join("")}--X--\r\n`;
  return { method: "POST", body, headers: { "content-type": "multipart/form-data; boundary=X" } };
}

/** An application with one route that answers what a handler makes of the request. */
function answering(read: (ctx: fw.Context) => unknown): () => fw.Application {
  return () => {
    const app = quiet();
    app.Any("/", async (ctx) => ctx.JSON(await read(ctx)));
    return app;
  };
}

/** A result as JSON can tell it: the value, and whether there was an error. */
function told<T>([value, error]: fw.Result<T>): [T, boolean] {
  return [value, error !== null];
}

const fields = [
  ["name", "Ada"],
  ["name", "Grace"],
  ["empty", ""],
  ["spaced", "  a b  "],
  ["int", "42"],
  ["negative", "-7"],
  ["big", "9007199254740993"],
  ["float", "1.5"],
  ["text", "x"],
  ["off", "false"],
  ["check", "on"],
  ["both", "body"],
] as const;
const query = "/?both=query&only=query&only=twice&n=5";

/** One row of the first table of 2.1: what a handler answers for the fields above. */
const rows: Record<string, readonly [read: (ctx: fw.Context) => unknown, expected: unknown][]> = {
  "`FormValue` is one value by name, from query parameters and form data": [
    [(ctx) => ctx.FormValue("name"), "Ada"],
    [(ctx) => ctx.FormValue("only"), "query"],
    [(ctx) => ctx.FormValue("both"), "body"],
    [(ctx) => ctx.FormValue("none"), ""],
  ],
  "`FormValueDefault` is the same, or the default if not found": [
    [(ctx) => ctx.FormValueDefault("name", "def"), "Ada"],
    [(ctx) => ctx.FormValueDefault("only", "def"), "query"],
    [(ctx) => ctx.FormValueDefault("empty", "def"), ""],
    [(ctx) => ctx.FormValueDefault("none", "def"), "def"],
  ],
  "`FormValues` is all form data, query and body": [
    [async (ctx) => (await ctx.FormValues())?.["name"], ["Ada", "Grace"]],
    [async (ctx) => (await ctx.FormValues())?.["both"], ["body", "query"]],
    [async (ctx) => (await ctx.FormValues())?.["only"], ["query", "twice"]],
    [async (ctx) => Object.getPrototypeOf(await ctx.FormValues()), null],
  ],
  "`PostValue` is the body field by name": [
    [(ctx) => ctx.PostValue("name"), "Ada"],
    [(ctx) => ctx.PostValue("both"), "body"],
    [(ctx) => ctx.PostValue("only"), ""],
  ],
  "`PostValueDefault` is the same, or the default if not found": [
    [(ctx) => ctx.PostValueDefault("name", "def"), "Ada"],
    [(ctx) => ctx.PostValueDefault("empty", "def"), ""],
    [(ctx) => ctx.PostValueDefault("only", "def"), "def"],
  ],
  "`PostValueTrim` removes trailing spaces": [
    [(ctx) => ctx.PostValueTrim("spaced"), "  a b"],
    [(ctx) => ctx.PostValueTrim("none"), ""],
  ],
  "`PostValueInt` is the value as int, or -1 and an error": [
    [async (ctx) => told(await ctx.PostValueInt("int")), [42, false]],
    [async (ctx) => told(await ctx.PostValueInt("negative")), [-7, false]],
    [async (ctx) => told(await ctx.PostValueInt("none")), [-1, true]],
    [async (ctx) => told(await ctx.PostValueInt("n")), [-1, true]],
    [async (ctx) => told(await ctx.PostValueInt("text")), [-1, true]],
    [async (ctx) => told(await ctx.PostValueInt("big")), [-1, true]],
  ],
  "`PostValueIntDefault` is the default if not found or not parseable": [
    [(ctx) => ctx.PostValueIntDefault("int", 1), 42],
    [(ctx) => ctx.PostValueIntDefault("none", 1), 1],
    [(ctx) => ctx.PostValueIntDefault("text", 1), 1],
  ],
  "`PostValueInt64` is the value as int64, or -1 and an error": [
    [async (ctx) => String((await ctx.PostValueInt64("big"))[0]), "9007199254740993"],
    [async (ctx) => typeof (await ctx.PostValueInt64("int"))[0], "bigint"],
    [async (ctx) => told(await ctx.PostValueInt64("none")), [-1, true]],
    [async (ctx) => told(await ctx.PostValueInt64("float")), [-1, true]],
  ],
  "`PostValueInt64Default` is the default if not found or not parseable": [
    [(ctx) => ctx.PostValueInt64Default("int", 1n), 42],
    [(ctx) => ctx.PostValueInt64Default("none", 1n), 1],
    [(ctx) => ctx.PostValueInt64Default("text", 1n), 1],
  ],
  "`PostValueFloat64` is the value as float64, or -1 and an error": [
    [async (ctx) => told(await ctx.PostValueFloat64("float")), [1.5, false]],
    [async (ctx) => told(await ctx.PostValueFloat64("none")), [-1, true]],
    [async (ctx) => told(await ctx.PostValueFloat64("text")), [-1, true]],
  ],
  "`PostValueFloat64Default` is the default if not found or not parseable": [
    [(ctx) => ctx.PostValueFloat64Default("float", 2.5), 1.5],
    [(ctx) => ctx.PostValueFloat64Default("none", 2.5), 2.5],
    [(ctx) => ctx.PostValueFloat64Default("text", 2.5), 2.5],
  ],
  "`PostValueBool` is false if not found or the value is false, otherwise true": [
    [async (ctx) => told(await ctx.PostValueBool("none")), [false, true]],
    [async (ctx) => told(await ctx.PostValueBool("off")), [false, false]],
    [async (ctx) => told(await ctx.PostValueBool("empty")), [false, false]],
    [async (ctx) => told(await ctx.PostValueBool("check")), [true, false]],
    [async (ctx) => told(await ctx.PostValueBool("text")), [true, false]],
    [(ctx) => ctx.PostValueBoolDefault("none", true), true],
    [(ctx) => ctx.PostValueBoolDefault("off", true), false],
  ],
  "`PostValues` is all body values for the name": [
    [(ctx) => ctx.PostValues("name"), ["Ada", "Grace"]],
    [(ctx) => ctx.PostValues("both"), ["body"]],
    [(ctx) => ctx.PostValues("none"), []],
  ],
  "`URLParam` is the query-string parameter": [
    [(ctx) => ctx.URLParam("only"), "query"],
    [(ctx) => ctx.URLParam("both"), "query"],
    [(ctx) => ctx.URLParam("name"), ""],
  ],
  "`URLParamDefault` is the query-string parameter, or the default if absent": [
    [(ctx) => ctx.URLParamDefault("n", "def"), "5"],
    [(ctx) => ctx.URLParamDefault("name", "def"), "def"],
    [(ctx) => ctx.URLParamIntDefault("n", 1), 5],
    [(ctx) => [ctx.URLParamExists("n"), ctx.URLParamExists("name")], [true, false]],
    [(ctx) => told(ctx.URLParamInt("only")), [-1, true]],
  ],
};

for (const [row, checks] of Object.entries(rows)) {
  bothWays(`spec 2.1: ${row}`, answering(readAll), async (ask) => {
    for (const form of forms(fields)) {
      const { status, text } = await ask(query, form);
      assertEquals([status, JSON.parse(text)], [200, checks.map(([, expected]) => expected)]);
    }
  });

  async function readAll(ctx: fw.Context): Promise<unknown[]> {
    const answers = [];
    for (const [read] of checks) answers.push(await read(ctx));
    return answers;
  }
}

bothWays(
  "spec 2.1: `FormValues` is nil when there is neither query nor body field",
  answering((ctx) => ctx.FormValues()),
  async (ask) => {
    assertEquals((await ask("/")).text, "null");
    assertEquals((await ask("/", { method: "POST" })).text, "null");
    for (const form of forms([])) assertEquals((await ask("/", form)).text, "null");
    assertEquals((await ask("/", upload(["f", "a.txt", "1"]))).text, "null");
    assertEquals((await ask("/?a=1")).text, '{"a":["1"]}');
  },
);

bothWays(
  "spec 2.1: post means body fields of POST, PATCH and PUT",
  answering((ctx) => ctx.PostValue("a")),
  async (ask) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const [plain, parts] = forms([["a", "1"]]);
      assertEquals((await ask("/", { ...plain, method })).text, method === "DELETE" ? '""' : '"1"', method);
      assertEquals((await ask("/", { ...parts, method })).text, '"1"', method);
    }
  },
);

bothWays(
  "spec 2.1: `FormFile` is the first uploaded file received under the key",
  answering(async (ctx) => {
    const [opened, header, error] = await ctx.FormFile("f");
    return [await opened?.text(), header?.Filename, header?.Size, header?.Header.get("content-type"), error?.message];
  }),
  async (ask) => {
    const { text } = await ask("/", upload(["g", "c.txt", "no"], ["f", "a.txt", "first"], ["f", "b.txt", "second"]));
    assertEquals(JSON.parse(text), ["first", "a.txt", 5, "text/plain", null]);
    for (const form of [...forms([["f", "1"]]), {}]) {
      const missing = JSON.parse((await ask("/", form)).text);
      assertEquals(missing, [null, null, null, null, fw.ErrMissingFile.message]);
    }
  },
);

bothWays(
  "spec 2.1: `JSON`, `HTML`, `WriteString`, `RemoteAddr` and `Next` answer as the second table says",
  () => {
    const app = quiet();
    app.Use((ctx) => {
      ctx.Header("x-before", "1");
      return ctx.Next();
    });
    app.Get("/json", (ctx) => ctx.JSON({ message: "hi" } satisfies fw.Map));
    app.Get("/html", (ctx) => ctx.HTML("<h1>hi</h1>"));
    app.Get("/text", (ctx) => ctx.WriteString("hi"));
    app.Get("/addr", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
    return app;
  },
  async (ask) => {
    const found = await Promise.all(["/json", "/html", "/text", "/addr"].map((path) => ask(path)));
    assertEquals(found.map(({ text }) => text), ['{"message":"hi"}', "<h1>hi</h1>", "hi", "127.0.0.1"]);
    assertEquals(found.map(({ headers }) => headers.get("content-type")?.split(";")[0]), [
      "application/json",
      "text/html",
      "text/plain",
      "text/plain",
    ]);
    assertEquals(found.map(({ headers }) => headers.get("x-before")), ["1", "1", "1", "1"]);
  },
);

Deno.test("spec 2.1: `Application().Logger()` has Infof and Warnf", async () => {
  const { app, lines } = logged();
  app.Get("/", (ctx) => {
    ctx.Application().Logger().Infof("id: %s; page: %d", "x", 7);
    ctx.Application().Logger().Warnf("careful: %v", true);
  });
  await app.fetch(new Request("http://localhost/"));
  assertEquals(lines.length, 2);
  assertEquals(lines.map((line) => line.includes("id: x; page: 7") || line.includes("careful: true")), [true, true]);
});

/** A folder that is gone after the test, and an application that saves to it. */
function saving(...before: fw.UploadHook[]): { app: fw.Application; folder: string; results: fw.Result<bigint>[] } {
  const folder = Deno.makeTempDirSync({ prefix: "spec-" });
  const results: fw.Result<bigint>[] = [];
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

/** Registers two tests of one clause about uploads. */
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

uploads("spec 2.2.1: all files are copied and their total length returned as int64", [], async (ask, made) => {
  const { text } = await ask("/", upload(["a", "a.txt", "one"], ["b", "b.txt", "three"]));
  assertEquals(JSON.parse(text), [8, false, ""]);
  assertEquals(typeof made.results[0]?.[0], "bigint");
  assertEquals(saved(made.folder), { "a.txt": "one", "b.txt": "three" });
});

uploads(
  "spec 2.2.2: callbacks run for each file with the context and the header, and may change its name",
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
  "spec 2.2.3: a file that cannot be created is a non-nil error",
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

Deno.test("spec 2.2.5: a body that comes piece by piece is saved like any other", async () => {
  const { app, folder, results } = saving();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  const sent = upload(["files[]", "a.txt", "x".repeat(500_000)]);
  const stream = new Blob([sent.body ?? ""]).stream();
  for (const body of [stream, sent.body ?? ""]) {
    const answer = await fetch(`http://127.0.0.1:${server.addr.port}/`, {
      method: "POST",
      body,
      headers: sent.headers ?? {},
    });
    await answer.body?.cancel();
    assertEquals([results.pop(), saved(folder)], [[500_000n, null], { "a.txt": "x".repeat(500_000) }]);
  }
  await server.shutdown();
  Deno.removeSync(folder, { recursive: true });
});

bothWays(
  "spec 2.2.6: `FormFile` can be used instead",
  answering(async (ctx) => {
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

uploads("spec 2.2.7: several files come under the name `files[]`", [], async (ask, made) => {
  await ask("/", upload(["files[]", "a.txt", "1"], ["files[]", "b.txt", "2"], ["files[]", "a.txt", "3"]));
  assertEquals(made.results, [[3n, null]]);
  assertEquals(saved(made.folder), { "a.txt": "1", "b.txt": "2", "a (1).txt": "3" });
});

function routes(): fw.Application {
  const app = quiet();
  app.Post("/form_post", async (ctx) => {
    const message = await ctx.FormValue("message");
    const nick = await ctx.FormValueDefault("nick", "anonymous");
    ctx.JSON({ status: "posted", message, nick });
  });
  app.Post("/post", async (ctx) => {
    const id = ctx.URLParam("id");
    const page = ctx.URLParamDefault("page", "0");
    ctx.Application().Logger().Infof(
      "%s; %s; %s; %s",
      id,
      page,
      await ctx.FormValue("name"),
      await ctx.FormValue("message"),
    );
  });
  return app;
}

bothWays(
  "spec 4.2: POST /form_post answers status, message and nick, which falls back to a default",
  routes,
  async (ask) => {
    for (const form of forms([["message", "hello"], ["nick", "ada"]])) {
      assertEquals(JSON.parse((await ask("/form_post", form)).text), {
        status: "posted",
        message: "hello",
        nick: "ada",
      });
    }
    for (const form of forms([["message", "hello"]])) {
      assertEquals(JSON.parse((await ask("/form_post", form)).text).nick, "anonymous");
    }
  },
);

Deno.test("spec 4.2: POST /post logs query and body values and returns no body", async () => {
  const { app, lines } = logged(routes());
  app.Logger().SetLevel("info");
  const [form] = forms([["name", "ada"], ["message", "hello"]]);
  for (const [path, line] of [["/post?id=7&page=3", "7; 3; ada; hello"], ["/post?id=7", "7; 0; ada; hello"]] as const) {
    const answer = await app.fetch(new Request(`http://localhost${path}`, form as RequestInit));
    assertEquals([answer.status, await answer.text()], [200, ""]);
    assertEquals(lines.pop()?.includes(line), true);
  }
});

/** The upload route of the spec: 5 MiB at most. */
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

bothWays(
  "spec 7: a typed path that does not match is 404",
  () => {
    const app = quiet();
    app.Get("/user/{id:long}", (ctx) => ctx.WriteString(ctx.Params().Get("id")));
    return app;
  },
  async (ask) => assertEquals([(await ask("/user/7")).status, (await ask("/user/x")).status], [200, 404]),
);

bothWays(
  "spec 7: numeric accessors return -1 and a non-nil error where the field is not found, defaults where there are any",
  answering(async (ctx) => [
    told(await ctx.PostValueInt("x")),
    told(await ctx.PostValueInt64("x")),
    told(await ctx.PostValueFloat64("x")),
    await ctx.PostValueDefault("x", "def"),
    await ctx.PostValueIntDefault("x", 1),
    await ctx.PostValueInt64Default("x", 2n),
    await ctx.PostValueFloat64Default("x", 3),
    await ctx.PostValueIntDefault("bad", 4),
    await ctx.FormValueDefault("x", "def"),
  ]),
  async (ask) => {
    for (const form of forms([["bad", "bad"]])) {
      const { text } = await ask("/", form);
      assertEquals(JSON.parse(text), [[-1, true], [-1, true], [-1, true], "def", 1, 2, 3, 4, "def"]);
    }
  },
);

bothWays(
  "spec 7: a malformed body is 400 and never looks like an empty form",
  answering((ctx) => ctx.PostValueDefault("x", "def")),
  async (ask) => {
    const broken = { ...upload(["f", "a", "1"]), body: field("a", "1") };
    const { status, text } = await ask("/", broken);
    assertEquals([status, text], [400, "Cannot read the multipart form: it ends early"]);
  },
);

bothWays(
  "spec 7: a panic inside a handler is recovered",
  () => {
    const app = fw.Default();
    app.Logger().SetLevel("disable");
    app.Post("/", async (ctx) => {
      await ctx.FormFile("f");
      throw new Error("secret");
    });
    app.Get("/", (ctx) => ctx.WriteString("alive"));
    return app;
  },
  async (ask) => {
    const { status, text } = await ask("/", upload(["f", "a.txt", "1"]));
    assertEquals([status, text.includes("secret")], [500, false]);
    assertEquals((await ask("/")).text, "alive");
  },
);

/** The temporary files that this process holds open. */
function temporaries(): number {
  let count = 0;
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    try {
      if (Deno.readLinkSync(`/proc/self/fd/${name}`).includes("/fw-")) count++;
    } catch {
      // The folder's own entry is gone by now.
    }
  }
  return count;
}

/** Runs an application with configurators as its user would. */
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
  Deno.test(`spec 8: ${row}: files beyond it are on disk until the request ends, however it ends`, async () => {
    const app = quiet();
    app.Post("/", async (ctx) => {
      const [opened] = await ctx.FormFile("f");
      const count = temporaries();
      if (ctx.URLParamExists("throw")) throw new Error("in between");
      ctx.JSON([opened?.size, count]);
    });
    await running(app, [...configure], async (base) => {
      for (const [length, count] of [[size, 0], [size + 1, 1]] as const) {
        for (const path of ["/", "/?throw"]) {
          const form = new FormData();
          form.set("f", new File([new Uint8Array(length)], "a.bin"));
          const answer = await fetch(`${base}${path}`, { method: "POST", body: form });
          const text = await answer.text();
          if (path === "/") assertEquals(JSON.parse(text), [length, count]);
          else assertEquals(answer.status, 500);
          while (temporaries() > 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
    });
    assertEquals(temporaries(), 0);
  });

  Deno.test(`spec 8: ${row}: fields beyond it are 413`, async () => {
    const app = quiet();
    app.Post("/", async (ctx) => ctx.JSON((await ctx.PostValue("a")).length));
    await running(app, [...configure], async (base) => {
      for (const [length, status] of [[size - 2, 200], [size - 1, 413]] as const) {
        const answer = await fetch(base, {
          method: "POST",
          body: `a=${"x".repeat(length)}`,
          headers: { "content-type": "application/x-www-form-urlencoded" },
        });
        assertEquals(answer.status, status);
        await answer.body?.cancel();
      }
    });
  });
}

bothWays(
  "spec 8: `LimitRequestBodySize` holds for every accessor, also where the length is not declared",
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
      // In process no length is declared: the limit meets whoever reads.
      const isRefused = way === "over a socket" || path === "/value";
      assertEquals(status, isRefused ? 413 : 200, path);
      if (!isRefused) assertEquals((await ask(path, form)).text, "true", path);
    }
  },
);

Deno.test("spec 8: an answer of 413 does not disturb the next request", async () => {
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

Deno.test("spec 2.1: what is on disk cannot be read when the request has ended", async () => {
  const app = quiet();
  app.Configure(fw.WithPostMaxMemory(0));
  let kept: File | null = null;
  app.Post("/", async (ctx) => void ([kept] = await ctx.FormFile("f")));
  const sent = upload(["f", "a.txt", "hello"]);
  await app.fetch(new Request("http://localhost/", sent as RequestInit));
  assertInstanceOf(kept, File);
  await assertRejects(() => (kept as unknown as File).text(), fw.FrameworkError);
});
