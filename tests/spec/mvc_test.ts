import { assertEquals, assertThrows } from "@std/assert";
import type * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";
import * as sessions from "../../src/state/sessions/mod.ts";
import { type Ask, bothWays, quiet, type Received } from "../serving.ts";

/** Creates an application with controllers at `/prefix`. */
function serving(...controllers: object[]): () => fw.Application {
  return () => {
    const app = quiet();
    for (const controller of controllers) mvc.New(app.Party("/prefix")).Handle(controller as Record<never, never>);
    return app;
  };
}

function told(response: Received): [number, string] {
  return [response.status, response.text];
}

async function textOf(ask: Ask, path: string, method = "GET"): Promise<string> {
  return (await ask(path, { method })).text;
}

// 2.3 Controller (MVC) resources

class Hello {
  Get(): string {
    return "hello";
  }
}

bothWays(
  "spec 2.3: a controller is registered with Handle on an MVC application created by mvc.New or mvc.Configure",
  () => {
    const app = quiet();
    mvc.New(app).Handle(Hello);
    mvc.New(app.Party("/party")).Handle(Hello);
    mvc.Configure(app.Party("/configured"), (m) => {
      assertEquals(m instanceof mvc.Application, true);
      m.Handle(Hello);
    });
    return app;
  },
  async (ask) => {
    for (const path of ["/", "/party", "/configured"]) assertEquals(told(await ask(path)), [200, "hello"]);
  },
);

bothWays(
  "spec 2.3: an MVC application has Register, Handle and a Router that supports Use, UseGlobal and Done",
  () => {
    const app = quiet();
    const m = mvc.New(app.Party("/prefix")).Register(new Map([["greeting", "hello"]]));
    m.Router.Use((ctx) => {
      ctx.AddHeader("x-trace", "use");
      return ctx.Next();
    });
    m.Router.UseGlobal((ctx) => {
      ctx.AddHeader("x-trace", "global");
      return ctx.Next();
    });
    m.Router.Done((ctx) => ctx.AddHeader("x-trace", "done"));
    class Traced {
      Get(ctx: fw.Context, values = mvc.Inject(Map<string, string>)): string {
        ctx.AddHeader("x-trace", "method");
        return values.get("greeting") ?? "";
      }
    }
    m.Handle(Traced);
    return app;
  },
  async (ask) => {
    const response = await ask("/prefix");
    assertEquals([response.text, response.headers.get("x-trace")], ["hello", "global, use, method, done"]);
  },
);

class WithContext {
  Ctx!: fw.Context;
  GetBy(name: string): string {
    return `${name} at ${this.Ctx.Path()}`;
  }
}

bothWays(
  "spec 2.3: the controller field Ctx is filled in automatically with no manual binding",
  serving(WithContext),
  async (ask) => {
    const responses = await Promise.all(["a", "b", "c"].map((name) => textOf(ask, `/prefix/${name}`)));
    assertEquals(responses, ["a at /prefix/a", "b at /prefix/b", "c at /prefix/c"]);
  },
);

bothWays(
  "spec 2.3: mvc.SessionController has Session and Manager, filled by its BeginRequest",
  () => {
    class Visits extends mvc.SessionController {
      Get(): string {
        const isManager = this.Manager instanceof sessions.Sessions;
        return `${isManager} ${this.Session instanceof sessions.Session} ${this.Session.Increment("visits")}`;
      }
    }
    const app = quiet();
    mvc.New(app).Register(sessions.New()).Handle(Visits);
    return app;
  },
  async (ask) => {
    const first = await ask("/");
    const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
    assertEquals([first.text, (await ask("/", { headers: { cookie } })).text], ["true true 1", "true true 2"]);
  },
);

class Results {
  Get(): mvc.Dispatcher {
    return { Dispatch: (ctx: fw.Context) => ctx.StopWithText(202, `own result of ${ctx.Path()}`) };
  }
  GetResponse(): mvc.Response {
    return new mvc.Response({ ContentType: "text/html", Text: "<h1>Welcome</h1>" });
  }
  GetView(): mvc.View {
    return new mvc.View({ Name: "index.html", Data: { title: "Home" } });
  }
}

function resultsApp(): fw.Application {
  const app = quiet();
  app.RegisterView({
    Load: () => undefined,
    Render: (name, data) => `<title>${name}: ${(data as { title: string }).title}</title>`,
  });
  mvc.New(app).Handle(Results);
  return app;
}

bothWays("spec 2.3: mvc.Result has one method, Dispatch(ctx)", resultsApp, async (ask) => {
  assertEquals(told(await ask("/")), [202, "own result of /"]);
});

bothWays("spec 2.3: mvc.Response has ContentType and Text and is a Result", resultsApp, async (ask) => {
  const response = await ask("/response");
  const type = response.headers.get("content-type");
  assertEquals([response.status, type, response.text], [200, "text/html; charset=utf-8", "<h1>Welcome</h1>"]);
});

bothWays("spec 2.3: mvc.View has Name and Data and is a Result", resultsApp, async (ask) => {
  const response = await ask("/view");
  const type = response.headers.get("content-type");
  assertEquals([response.status, type, response.text], [
    200,
    "text/html; charset=utf-8",
    "<title>index.html: Home</title>",
  ]);
});

class Clock {
  readonly time: string;
  constructor(time: string) {
    this.time = time;
  }
}

class Activated {
  clock = mvc.Inject(Clock);
  BeforeActivation(b: mvc.BeforeActivation): void {
    b.Dependencies().Remove(Clock);
    b.Dependencies().Add(new Clock("noon"));
    b.Handle("GET", "/custom_path", "CustomPath", (ctx) => {
      ctx.Header("x-middleware", "ran");
      return ctx.Next();
    });
    b.Router().Get("/standard", (ctx) => ctx.Text("standard"));
  }
  AfterActivation(a: mvc.AfterActivation): void {
    assertEquals(a.Dependencies().Has(Clock), true);
    assertThrows(() => (a.Dependencies() as mvc.Dependencies).Add(new Clock("dawn")), Error, "is activated");
    a.Handle("GET", "/after", "CustomPath");
    a.Router().Get("/standard_after", (ctx) => ctx.Text("standard after"));
  }
  CustomPath(): string {
    return this.clock.time;
  }
}

function activatedApp(): fw.Application {
  const app = quiet();
  mvc.New(app).Register(new Clock("midnight")).Handle(Activated);
  return app;
}

bothWays(
  "spec 2.3: mvc.BeforeActivation has Handle with middleware, Dependencies with Add and Remove, and Router",
  activatedApp,
  async (ask) => {
    const response = await ask("/custom_path");
    assertEquals([response.text, response.headers.get("x-middleware")], ["noon", "ran"]);
    assertEquals(await textOf(ask, "/standard"), "standard");
  },
);

bothWays(
  "spec 2.3: mvc.AfterActivation has read-only dependencies, and handlers can still be added",
  activatedApp,
  async (ask) => {
    assertEquals(await textOf(ask, "/after"), "noon");
    assertEquals(await textOf(ask, "/standard_after"), "standard after");
  },
);

class Counter {
  count = 0;
  next(): number {
    return ++this.count;
  }
}

class ByField {
  counter = mvc.Inject(Counter);
  Get(): string {
    return `field ${this.counter.next()}`;
  }
}

class ByArgument {
  GetArgument(counter = mvc.Inject(Counter)): string {
    return `argument ${counter.next()}`;
  }
}

bothWays(
  "spec 2.3: dependencies are bound to fields or arguments, shared between controllers, and keep their state",
  () => {
    const app = quiet();
    mvc.New(app).Register(new Counter()).Handle(ByField).Handle(ByArgument);
    return app;
  },
  async (ask) => {
    const responses = [await textOf(ask, "/"), await textOf(ask, "/argument"), await textOf(ask, "/")];
    assertEquals(responses, ["field 1", "argument 2", "field 3"]);
  },
);

bothWays(
  "spec 2.3: a dependency can be registered on a parent MVC application",
  () => {
    const app = quiet();
    mvc.New(app).Register(new Counter()).Party("/child").Handle(ByField);
    return app;
  },
  async (ask) => assertEquals(await textOf(ask, "/child"), "field 1"),
);

bothWays(
  "spec 2.3: a dependency can be a function that returns a value per request, such as a session manager's Start",
  () => {
    const manager = sessions.New();
    class Started {
      session = mvc.Inject(manager.Start);
      Get(): string {
        return String(this.session.Increment("visits"));
      }
    }
    const app = quiet();
    mvc.New(app).Register(manager.Start).Handle(Started);
    return app;
  },
  async (ask) => {
    const first = await ask("/");
    const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
    assertEquals([first.text, (await ask("/", { headers: { cookie } })).text, (await ask("/")).text], ["1", "2", "1"]);
  },
);

bothWays(
  "spec 2.3: a singleton controller keeps its state between requests",
  () => {
    class Single {
      visits = 0;
      Get(): string {
        return String(++this.visits);
      }
    }
    const app = quiet();
    mvc.New(app).Handle(new Single());
    return app;
  },
  async (ask) => assertEquals([await textOf(ask, "/"), await textOf(ask, "/")], ["1", "2"]),
);

// 4.4 Controller route mapping

class Verbs {
  Get(): string {
    return "Get";
  }
  Post(): string {
    return "Post";
  }
  Put(): string {
    return "Put";
  }
  Delete(): string {
    return "Delete";
  }
  Connect(): string {
    return "Connect";
  }
  Head(ctx: fw.Context): void {
    ctx.Header("x-verb", "Head");
  }
  Patch(): string {
    return "Patch";
  }
  Options(): string {
    return "Options";
  }
  Trace(): string {
    return "Trace";
  }
}

bothWays(
  "spec 4.4.1: a method whose name starts with an HTTP method is a handler, and a controller can have several",
  serving(Verbs),
  async (ask, way) => {
    for (const verb of ["Get", "Post", "Put", "Delete", "Patch", "Options"]) {
      assertEquals(await textOf(ask, "/prefix", verb.toUpperCase()), verb);
    }
    assertEquals((await ask("/prefix", { method: "HEAD" })).headers.get("x-verb"), "Head");
    // The platform cannot create a request with this method, but a client can send one.
    if (way === "over a socket") assertEquals(await textOf(ask, "/prefix", "TRACE"), "Trace");
  },
);

Deno.test("spec 4.4.1: Connect is routed like the others, although the platform cannot create such a request", () => {
  const routes = serving(Verbs)().Routes().map((route) => `${route.Method} ${route.Path} ${route.Action}`);
  assertEquals(routes.includes("CONNECT /prefix Connect"), true);
  assertEquals(routes.length, 9);
});

class Every {
  AllThings(ctx: fw.Context): string {
    return `All ${ctx.Method()}`;
  }
  Any(ctx: fw.Context): string {
    return `Any ${ctx.Method()}`;
  }
}

bothWays("spec 4.4.2: All or Any serves every HTTP method", serving(Every), async (ask) => {
  for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    assertEquals(await textOf(ask, "/prefix", method), `Any ${method}`);
    assertEquals(await textOf(ask, "/prefix/things", method), `All ${method}`);
  }
});

class Words {
  GetLogin(): string {
    return "login";
  }
  GetProfileFollowers(): string {
    return "followers";
  }
  Get(): string {
    return "root";
  }
}

bothWays("spec 4.4.3: each word after the verb adds a lowercase path segment", serving(Words), async (ask) => {
  assertEquals(await textOf(ask, "/prefix/login"), "login");
  assertEquals(await textOf(ask, "/prefix/profile/followers"), "followers");
  assertEquals((await ask("/prefix/Login")).status, 404);
});

bothWays("spec 4.4.4: a method with no suffix serves the party's root path", serving(Words), async (ask) => {
  assertEquals(await textOf(ask, "/prefix"), "root");
});

function kindOf(value: unknown): string {
  return `${typeof value} ${value}`;
}

class LongController {
  GetBy(id = 0n): string {
    return kindOf(id);
  }
  PostBy(id = 0n): string {
    return `posted ${kindOf(id)}`;
  }
}

class NameController {
  GetBy(username: string): string {
    return kindOf(username);
  }
}

class WildcardController {
  GetByWildard(path: string): string {
    return kindOf(path);
  }
}

class UserController {
  GetUserBy(username: string): string {
    return kindOf(username);
  }
  GetWelcomeBy(name: string, numTimes = 0): string {
    return `${kindOf(name)}, ${kindOf(numTimes)}`;
  }
}

bothWays("spec 4.4.5: GetBy(id int64) serves GET <prefix>/{param:long}", serving(LongController), async (ask) => {
  assertEquals(await textOf(ask, "/prefix/9007199254740993"), "bigint 9007199254740993");
  assertEquals((await ask("/prefix/a")).status, 404);
});

bothWays("spec 4.4.5: PostBy(id int64) serves POST <prefix>/{param:long}", serving(LongController), async (ask) => {
  assertEquals(await textOf(ask, "/prefix/-1", "POST"), "posted bigint -1");
  assertEquals((await ask("/prefix/a", { method: "POST" })).status, 404);
});

bothWays("spec 4.4.5: GetBy(username string) serves <prefix>/{param:string}", serving(NameController), async (ask) => {
  assertEquals(await textOf(ask, "/prefix/ada%20l"), "string ada l");
  assertEquals((await ask("/prefix/ada/l")).status, 404);
});

bothWays(
  "spec 4.4.5: GetByWildard(path string) receives the rest of the path",
  serving(WildcardController),
  async (ask) => {
    assertEquals(await textOf(ask, "/prefix/a/b/c.txt"), "string a/b/c.txt");
  },
);

bothWays(
  "spec 4.4.5: GetUserBy(username string) serves <prefix>/user/{username}",
  serving(UserController),
  async (ask) => {
    assertEquals(await textOf(ask, "/prefix/user/ada"), "string ada");
  },
);

bothWays(
  "spec 4.4.5: GetWelcomeBy(name string, numTimes int) serves two segments, of which the second is a number",
  serving(UserController),
  async (ask) => {
    assertEquals(await textOf(ask, "/prefix/welcome/ada/3"), "string ada, number 3");
    assertEquals((await ask("/prefix/welcome/ada/three")).status, 404);
    assertEquals((await ask("/prefix/welcome/ada")).status, 404);
  },
);

class Types {
  GetIntBy(value = 0): string {
    return kindOf(value);
  }
  GetLongBy(value = 0n): string {
    return kindOf(value);
  }
  GetBoolBy(value = false): string {
    return kindOf(value);
  }
  GetStringBy(value = ""): string {
    return kindOf(value);
  }
}

bothWays("spec 4.4.6: path arguments are int, int64, bool and string", serving(Types), async (ask) => {
  assertEquals(await textOf(ask, "/prefix/int/-42"), "number -42");
  assertEquals(await textOf(ask, "/prefix/long/9223372036854775807"), "bigint 9223372036854775807");
  assertEquals(await textOf(ask, "/prefix/bool/true"), "boolean true");
  assertEquals(await textOf(ask, "/prefix/bool/false"), "boolean false");
  assertEquals(await textOf(ask, "/prefix/string/42"), "string 42");
});

bothWays(
  "spec 4.4.7, 7: a request that does not match the typed path gets 404 Not Found",
  serving(Types),
  async (ask) => {
    const paths = [
      "int/x",
      "int/1.5",
      "int/9007199254740992",
      "long/1n",
      "long/9223372036854775808",
      "bool/maybe",
    ];
    for (const path of paths) assertEquals(told(await ask(`/prefix/${path}`)), [404, "Not Found"], path);
  },
);

class ByHand {
  BeforeActivation(b: mvc.BeforeActivation): void {
    b.Handle("POST", "/by/hand/{id:long}/{name}", "Store", (ctx) => {
      ctx.Header("x-middleware", "ran");
      return ctx.Next();
    });
  }
  Store(id: bigint, name: string): string {
    return `${kindOf(id)}, ${kindOf(name)}`;
  }
}

bothWays(
  "spec 4.4.8: BeforeActivation routes a method with typed parameters and middleware",
  serving(ByHand),
  async (ask) => {
    const response = await ask("/prefix/by/hand/7/ada", { method: "POST" });
    assertEquals([response.text, response.headers.get("x-middleware")], ["bigint 7, string ada", "ran"]);
    assertEquals((await ask("/prefix/by/hand/seven/ada", { method: "POST" })).status, 404);
  },
);

bothWays(
  "spec 4.4.9: routes are relative to the party, subdomains and party parameters included",
  () => {
    const app = quiet();
    mvc.New(app.Party("/a").Party("/b")).Handle(Words);
    mvc.New(app.Party("admin.")).Handle(Words);
    mvc.New(app.Party("/teams/{team}")).Handle(LongController);
    return app;
  },
  async (ask) => {
    assertEquals(await textOf(ask, "/a/b/login"), "login");
    assertEquals((await ask("/login", { headers: { host: "admin.localhost" } })).text, "login");
    assertEquals((await ask("/login")).status, 404);
    assertEquals(await textOf(ask, "/teams/red/5"), "bigint 5");
  },
);

interface Book {
  readonly title: string;
}

const book: Book = { title: "Emma" };

class Returns {
  GetString(): string {
    return "text";
  }
  GetStringString(): mvc.Tuple<string, string> {
    return mvc.Tuple("<b>", "text/html");
  }
  GetStringInt(): mvc.Tuple<string, number> {
    return mvc.Tuple("made", 201);
  }
  GetInt(): number {
    return 202;
  }
  GetIntString(): mvc.Tuple<number, string> {
    return mvc.Tuple(203, "text");
  }
  GetStringErrorBy(ok = false): mvc.Tuple<string, Error | null> {
    return mvc.Tuple("text", ok ? null : new Error("failed"));
  }
  GetErrorBy(ok = false): Error | undefined {
    return ok ? undefined : new Error("failed");
  }
  GetIntErrorBy(ok = false): mvc.Tuple<number, Error | null> {
    return mvc.Tuple(ok ? 202 : 409, ok ? null : new Error("failed"));
  }
  GetAnyBoolBy(ok = false): mvc.Tuple<Book, boolean> {
    return mvc.Tuple(book, ok);
  }
  GetStructErrorBy(ok = false): mvc.Tuple<Book, Error | null> {
    return mvc.Tuple(book, ok ? null : new Error("failed"));
  }
  GetStruct(): Book {
    return book;
  }
  GetStructInt(): mvc.Tuple<Book, number> {
    return mvc.Tuple(book, 201);
  }
  GetStructString(): mvc.Tuple<Book, string> {
    return mvc.Tuple(book, "text/xml");
  }
  GetResult(): mvc.Dispatcher {
    return new mvc.Response({ Code: 203, Text: "result" });
  }
  GetResultErrorBy(ok = false): mvc.Tuple<mvc.Dispatcher, Error | null> {
    return mvc.Tuple(new mvc.Response({ Text: "result" }), ok ? null : new Error("failed"));
  }
}

/** The same controller with promises. */
class Promises {
  readonly #now = new Returns();
  async GetString(): Promise<string> {
    await Promise.resolve();
    return this.#now.GetString();
  }
  async GetAnyBoolBy(ok = false): Promise<mvc.Tuple<Book, boolean>> {
    await Promise.resolve();
    return this.#now.GetAnyBoolBy(ok);
  }
  async GetStructInt(): Promise<mvc.Tuple<Book, number>> {
    await Promise.resolve();
    return this.#now.GetStructInt();
  }
}

const TEXT = "text/plain;charset=UTF-8";
const JSON_BOOK: [string, string] = ["application/json", '{"title":"Emma"}'];
const XML_BOOK = '<?xml version="1.0" encoding="UTF-8"?>\n<Object><title>Emma</title></Object>';

/** The rows of the table of return values: path, status, content type, body. */
const shapes: Record<string, readonly (readonly [string, number, string, string])[]> = {
  "string": [["string", 200, TEXT, "text"]],
  "(string, string)": [["string/string", 200, "text/html; charset=utf-8", "<b>"]],
  "(string, int)": [["string/int", 201, TEXT, "made"]],
  "int": [["int", 202, "", ""]],
  "(int, string)": [["int/string", 203, TEXT, "text"]],
  "(string, error)": [["string/error/true", 200, TEXT, "text"], ["string/error/false", 400, TEXT, "failed"]],
  "error": [["error/true", 200, "", ""], ["error/false", 400, TEXT, "failed"]],
  "(int, error)": [["int/error/true", 202, "", ""], ["int/error/false", 409, TEXT, "failed"]],
  "(any, bool)": [["any/bool/true", 200, ...JSON_BOOK], ["any/bool/false", 404, TEXT, "Not Found"]],
  "(customStruct, error)": [
    ["struct/error/true", 200, ...JSON_BOOK],
    ["struct/error/false", 400, TEXT, "failed"],
  ],
  "customStruct": [["struct", 200, ...JSON_BOOK]],
  "(customStruct, int)": [["struct/int", 201, ...JSON_BOOK]],
  "(customStruct, string)": [["struct/string", 200, "text/xml; charset=utf-8", XML_BOOK]],
  "mvc.Result": [["result", 203, TEXT, "result"]],
  "(mvc.Result, error)": [["result/error/true", 200, TEXT, "result"], ["result/error/false", 400, TEXT, "failed"]],
};

for (const [shape, rows] of Object.entries(shapes)) {
  bothWays(`spec 4.4, return types: ${shape}`, serving(Returns), async (ask) => {
    for (const [path, ...expected] of rows) {
      const { status, headers, text } = await ask(`/prefix/${path}`);
      assertEquals([status, headers.get("content-type") ?? "", text], expected, path);
    }
  });
}

bothWays("spec 4.4, return types: promises for all of them", serving(Promises), async (ask) => {
  assertEquals(told(await ask("/prefix/string")), [200, "text"]);
  assertEquals((await ask("/prefix/any/bool/false")).status, 404);
  assertEquals(told(await ask("/prefix/struct/int")), [201, '{"title":"Emma"}']);
});

class FirstArgument {
  Get(ctx: fw.Context): string {
    return ctx.Path();
  }
  GetBy(ctx: fw.Context, id = 0n): string {
    return `${ctx.Path()} ${id}`;
  }
}

bothWays("spec 4.4: a method can have fw.Context as its first argument", serving(FirstArgument), async (ask) => {
  assertEquals(await textOf(ask, "/prefix"), "/prefix");
  assertEquals(await textOf(ask, "/prefix/5"), "/prefix/5 5");
});

bothWays(
  "spec 4.4: BeginRequest(ctx), the method and EndRequest(ctx) run in order, and BeforeActivation runs once before all requests",
  () => {
    const log: string[] = [];
    class Lifecycle {
      BeforeActivation(): void {
        log.push("before activation");
      }
      BeginRequest(ctx: fw.Context): void {
        log.push(`begin ${ctx.Path()}`);
      }
      Get(): string {
        return log.push("method") > 0 ? "" : "never";
      }
      EndRequest(ctx: fw.Context): void {
        ctx.JSON([...log, `end ${ctx.Path()}`]);
        log.splice(1);
      }
    }
    const app = quiet();
    mvc.New(app).Handle(Lifecycle);
    assertEquals(log, ["before activation"]);
    return app;
  },
  async (ask) => {
    const expected = '["before activation","begin /","method","end /"]';
    assertEquals([await textOf(ask, "/"), await textOf(ask, "/")], [expected, expected]);
  },
);

bothWays("spec 4.4: a returned string is written as the body", serving(Hello), async (ask) => {
  assertEquals(told(await ask("/prefix")), [200, "hello"]);
});
