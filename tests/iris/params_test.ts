import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mvc from "@fw/web/mvc";
import { assertEquals, assertThrows } from "@std/assert";

/** Creates an application with the type `slice`, which converts the rest of the path to an array. */
function withSlices(): fw.Application {
  const app = fw.New();
  app.Macros().Register({
    Name: "slice",
    Trailing: true,
    Test: (_text, start, end) => end > start,
    Convert: (text) => text.split("/"),
  });
  return app;
}

Deno.test("example macros: Params().Value returns the value of a custom type, and its functions take lists", async () => {
  const app = withSlices();
  app.Macros().RegisterFunc("slice", "contains", (expected: string[]) => {
    const sorted = expected.toSorted().join("/");
    return (value) => value.split("/").sort().join("/") === sorted;
  });
  app.Get("/plain/{items:slice}", (ctx) => ctx.JSON(ctx.Params().Value("items")));
  app.Get("/contains/{items:slice contains([value1,value2])}", (ctx) => ctx.JSON(ctx.Params().Value("items")));
  const test = httptest.New(app);
  await test.GET("/plain/a/b").Expect().JSON(["a", "b"]);
  await test.GET("/contains/value2/value1").Expect().JSON(["value2", "value1"]);
  await test.GET("/contains/notcontains1/value2").Expect().Status(404);
});

Deno.test("Params.Value() converts the values of all built-in types", async () => {
  const app = fw.New();
  const seen: unknown[] = [];
  const note: fw.Handler = (ctx) => void seen.push(ctx.Params().Value("x"));
  for (const type of ["int", "uint8", "int64", "bool", "date", "weekday", "string", "uuid", "file"]) {
    app.Get(`/${type}/{x:${type}}`, note);
  }
  app.Party("/{y:bool}").Get("/{x:int}.json", note);
  app.Get("/missing/{y}", note);
  const uuid = "123e4567-e89b-42d3-a456-426614174000";
  for (
    const path of [
      ...["int/7", "uint8/8", "int64/9", "bool/t", "date/2024-02-29", "weekday/Friday", "string/7", `uuid/${uuid}`],
      ...["file/a.b", "true/5.json", "missing/1"],
    ]
  ) assertEquals((await app.fetch(new Request(`http://localhost/${path}`))).status, 200, path);
  assertEquals(seen, [7, 8, 9n, true, new Date("2024-02-29"), 5, "7", uuid, "a.b", 5, undefined]);
});

Deno.test("example dynamic-path: GetTime and GetWeekday parse dates and weekdays, or return an error", async () => {
  const app = fw.New();
  app.Get("/{x}", (ctx) => {
    const [time, problem] = ctx.Params().GetTime("x");
    const [day, fault] = ctx.Params().GetWeekday("x");
    ctx.JSON([time?.toISOString() ?? problem?.message, day, fault?.message ?? null]);
  });
  const ask = async (value: string) =>
    await (await app.fetch(new Request(`http://localhost/${encodeURIComponent(value)}`))).json();
  const noDay = (text: string) => `Cannot read path parameter "x" as a weekday: current value is "${text}"`;
  const noTime = (text: string) => `Cannot read path parameter "x" as a date: current value is "${text}"`;
  assertEquals(await ask("2024-02-29"), ["2024-02-29T00:00:00.000Z", -1, noDay("2024-02-29")]);
  assertEquals((await ask("2024-02-29T10:30:00+02:00"))[0], "2024-02-29T08:30:00.000Z");
  assertEquals(await ask("Friday"), [noTime("Friday"), 5, null]);
  assertEquals((await ask("saturday"))[1], 6);
  assertEquals((await ask("0"))[1], 0);
  for (const text of ["2023-02-29", "2024-02-30T10:00:00Z", "2024-01-01T25:00:00Z", "March 7", "7"]) {
    assertEquals(await ask(text), [noTime(text), -1, noDay(text)]);
  }
  const missing = fw.New();
  missing.Get("/", (ctx) => ctx.JSON([ctx.Params().GetTime("x")[1]?.message, ctx.Params().GetWeekday("x")[0]]));
  const response = await missing.fetch(new Request("http://localhost/"));
  assertEquals(await response.json(), ['Cannot read path parameter "x" as a date: it is missing', -1]);
});

Deno.test("RegisterFunc() passes lists in brackets as arrays, and other arguments as strings", async () => {
  const app = fw.New();
  const seen: unknown[] = [];
  app.Macros().RegisterFunc("string", "has", (...args: (string | string[])[]) => {
    seen.push(args);
    return (value) => args.flat().includes(value);
  });
  app.Macros().RegisterFunc(
    "string",
    "named",
    (names: string[], prefix = "") => (value) => names.some((name) => value === prefix + name),
  );
  app.Get("/{x:string has([a,b])}", (ctx) => ctx.WriteString("list"));
  app.Get("/{x:string has(c,d)}", (ctx) => ctx.WriteString("strings"));
  app.Get("/{x:string has( [ 'e, f' , g ] , h, '[i' , [] )}", (ctx) => ctx.WriteString("mixed"));
  app.Get("/n/{x:string named([kataras,gerasimos], @)}", (ctx) => ctx.WriteString("named"));
  assertEquals(seen, [[["a", "b"]], ["c", "d"], [["e, f", "g"], "h", "[i", []]]);
  assertThrows(() => app.Get("/{x:string has([a)}", () => {}), fw.FrameworkError, '"(" is not closed');
  assertThrows(() => app.Get("/{x:string has([a]b)}", () => {}), fw.FrameworkError, 'expected ")" but found "b"');
  const test = httptest.New(app);
  await test.GET("/b").Expect().Body("list");
  await test.GET("/[a").Expect().Status(404);
  await test.GET("/c").Expect().Body("strings");
  await test.GET("/[i").Expect().Body("mixed");
  await test.GET("/n/@gerasimos").Expect().Body("named");
  await test.GET("/n/gerasimos").Expect().Status(404);
});

Deno.test("example dynamic-path: Macros().Get(type).HandleError responds to paths that the type rejects", async () => {
  const app = fw.New();
  app.UseRouter((ctx) => {
    ctx.Header("x-seen", "yes");
    return ctx.Next();
  });
  // The order of routes and handlers does not matter.
  app.Get("/user/{id:uuid}", (ctx) => ctx.WriteString(ctx.Params().Get("id")));
  app.Macros().Get("uuid")?.HandleError((ctx, index, error) => {
    ctx.StatusCode(400);
    const [name, value] = ctx.Params().Entries()[index] ?? [];
    ctx.JSON({ error: error.message, name, value });
  });
  app.Get("/{a:int}/{b:uuid else 422}.json", () => {});
  app.Get("/late/{day:date}", () => {});
  app.Macros().Get("date")?.HandleError(async (ctx) => {
    await Promise.resolve();
    ctx.WriteString(`late ${ctx.GetStatusCode()}`);
  });
  app.Get("/long/{n:int min(5)}", () => {});
  app.Macros().Get("number")?.HandleError((ctx, _index, error) => ctx.StopWithText(400, error.message));
  app.Get("/user/{id:uuid}/x", () => {});
  const test = httptest.New(app);
  await test.GET("/user/a%2Fb").Expect().Status(400).Header("x-seen", "yes").JSON({
    error: 'Cannot read path parameter "id": "a/b" is not "uuid"',
    name: "id",
    value: "a/b",
  });
  await test.GET("/5/x.json").Expect().Status(400).JSON({
    error: 'Cannot read path parameter "b": "x" is not "uuid"',
    name: "b",
    value: "x",
  });
  await test.GET("/late/tomorrow").Expect().Status(404).Body("late 404");
  await test.GET("/long/3").Expect().Status(400).Body('Cannot read path parameter "n": "3" is not "int min(5)"');
  await test.HEAD("/user/x").Expect().Status(400);
  await test.POST("/user/x").Expect().Status(404);
  await test.GET("/user/x/y").Expect().Status(404);
  await test.GET("/nowhere").Expect().Status(404);
  const other = fw.New();
  other.Get("/user/{id:uuid}", () => {});
  await httptest.New(other).GET("/user/x").Expect().Status(404).Body("Not Found");
  assertEquals(app.Macros().Get("nothing"), undefined);
  assertThrows(() => app.Macros().Get("int")?.HandleError(5 as never), fw.FrameworkError, "not a function");
});

Deno.test("HandleError() gives way to another route that accepts the value", async () => {
  const app = fw.New();
  app.Macros().Get("int")?.HandleError((ctx) => ctx.StopWithStatus(400));
  app.Get("/{id:int}", (ctx) => ctx.WriteString("int"));
  app.Get("/{name:alphabetical}", (ctx) => ctx.WriteString("name"));
  const test = httptest.New(app);
  await test.GET("/5").Expect().Body("int");
  await test.GET("/abc").Expect().Body("name");
  await test.GET("/a5").Expect().Status(400);
});

Deno.test("An argument with a default value receives a value of that type from any custom type", async () => {
  const app = withSlices();
  app.Logger().SetLevel("disable");
  app.Macros().Register({
    Name: "hex",
    Test: (text, start, end) => /^[0-9a-f]+$/.test(text.slice(start, end)),
    Convert: (text) => parseInt(text, 16),
  });
  app.ConfigureContainer((api) => {
    api.Get("/text/{items:slice}", (_ctx, items = "") => ({ items, type: typeof items }));
    api.Get("/day/{day:date}", (_ctx, day = "") => ({ day }));
    api.Get("/weekday/{day:weekday}", (_ctx, day = 0) => ({ day }));
    api.Get("/hex/{n:hex}", (_ctx, n = 0) => ({ n }));
    api.Get("/lie/{items:slice}", (_ctx, items = 0) => ({ items }));
  });
  class SliceController {
    BeforeActivation(b: mvc.BeforeActivation) {
      b.Handle("GET", "/list/{items:slice}", "List");
      b.Handle("GET", "/string/{items:slice}", "Text");
    }
    List(items: string[]) {
      return { items };
    }
    Text(items = "") {
      return { items };
    }
  }
  mvc.New(app.Party("/mvc")).Handle(SliceController);
  const test = httptest.New(app);
  await test.GET("/text/a/b").Expect().JSON({ items: "a/b", type: "string" });
  await test.GET("/day/2024-02-29").Expect().JSON({ day: "2024-02-29" });
  await test.GET("/weekday/Monday").Expect().JSON({ day: 1 });
  await test.GET("/hex/ff").Expect().JSON({ n: 255 });
  await test.GET("/lie/a").Expect().Status(500);
  await test.GET("/mvc/list/a/b").Expect().JSON({ items: ["a", "b"] });
  await test.GET("/mvc/string/a/b").Expect().JSON({ items: "a/b" });
});
