import { assertEquals } from "@std/assert";
import * as fw from "../../mod.ts";
import { bothWays, logged, quiet } from "../serving.ts";
import { field } from "../testdata/forms/cases.ts";
import { forms, readAll, responding, told, upload } from "../testdata/forms/questions.ts";

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

/** Rows of the first table in 2.1: the expected results of a handler for the fields above. */
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
  bothWays(`spec 2.1: ${row}`, responding((ctx) => readAll(ctx, checks)), async (ask) => {
    for (const form of forms(fields)) {
      const { status, text } = await ask(query, form);
      assertEquals([status, JSON.parse(text)], [200, checks.map(([, expected]) => expected)]);
    }
  });
}

bothWays(
  "spec 2.1: `FormValues` is nil if there are no query and body fields",
  responding((ctx) => ctx.FormValues()),
  async (ask) => {
    assertEquals((await ask("/")).text, "null");
    assertEquals((await ask("/", { method: "POST" })).text, "null");
    for (const form of forms([])) assertEquals((await ask("/", form)).text, "null");
    assertEquals((await ask("/", upload(["f", "a.txt", "1"]))).text, "null");
    assertEquals((await ask("/?a=1")).text, '{"a":["1"]}');
  },
);

bothWays(
  "spec 2.1: PostValue reads the body fields of POST, PATCH and PUT",
  responding((ctx) => ctx.PostValue("a")),
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
  responding(async (ctx) => {
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
  "spec 2.1: `JSON`, `HTML`, `WriteString`, `RemoteAddr` and `Next` behave as described in the second table",
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
  "spec 4.2: POST /form_post responds with status, message and nick, which falls back to a default",
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
    const response = await app.fetch(new Request(`http://localhost${path}`, form as RequestInit));
    assertEquals([response.status, await response.text()], [200, ""]);
    assertEquals(lines.pop()?.includes(line), true);
  }
});

bothWays(
  "spec 7: a path that does not match its typed parameters gets 404",
  () => {
    const app = quiet();
    app.Get("/user/{id:long}", (ctx) => ctx.WriteString(ctx.Params().Get("id")));
    return app;
  },
  async (ask) => assertEquals([(await ask("/user/7")).status, (await ask("/user/x")).status], [200, 404]),
);

bothWays(
  "spec 7: numeric accessors return -1 and a non-nil error if the field is missing, or the default if there is one",
  responding(async (ctx) => [
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
  "spec 7: a malformed body gets 400 and is never read as an empty form",
  responding((ctx) => ctx.PostValueDefault("x", "def")),
  async (ask) => {
    const broken = { ...upload(["f", "a", "1"]), body: field("a", "1") };
    const { status, text } = await ask("/", broken);
    assertEquals([status, text], [400, "Cannot read the multipart form: it ends unexpectedly"]);
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
