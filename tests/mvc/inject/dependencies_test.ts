import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { ask, quietApp } from "../serve.ts";

class Repository {
  name(): string {
    return "base";
  }
}
class FastRepository extends Repository {
  override name(): string {
    return "fast";
  }
}
const greeting = mvc.Token<string>("greeting");

/** Returns the response body of `GET /` for a controller with these dependencies. */
async function bodyOf(controller: new () => object, ...dependencies: unknown[]): Promise<string> {
  const app = quietApp();
  mvc.New(app).Register(...dependencies).Handle(controller as new () => Record<never, never>);
  return (await ask(app, "/")).body;
}

function failureOf(controller: object, ...dependencies: unknown[]): string {
  const app = quietApp();
  const m = mvc.New(app).Register(...dependencies).Handle(controller as Record<never, never>);
  assertEquals(m.Router, app);
  return assertThrows(() => app.Build(), fw.FrameworkError).message;
}

class NameController {
  repository = mvc.Inject(Repository);
  Get(): string {
    return this.repository.name();
  }
}

Deno.test("Inject() finds an instance by its class or a superclass", async () => {
  assertEquals(await bodyOf(NameController, new Repository()), "base");
  assertEquals(await bodyOf(NameController, new FastRepository()), "fast");
});

Deno.test("Inject() uses the last dependency registered for a token", async () => {
  assertEquals(await bodyOf(NameController, new FastRepository(), new Repository()), "base");
  assertEquals(await bodyOf(NameController, new Repository(), new FastRepository()), "fast");
});

Deno.test("Inject() creates a per-request value once, even if it is falsy or a promise", async () => {
  for (const value of [null, undefined, 0, "", false, NaN]) {
    for (const late of [false, true]) {
      let calls = 0;
      const provided = (_ctx: fw.Context): unknown => {
        calls++;
        return late ? Promise.resolve(value) : value;
      };
      class TwiceController {
        first = mvc.Inject(provided);
        second = mvc.Inject(provided);
        Get(third = mvc.Inject(provided)): string {
          return [this.first, this.second, third].map((each) => String(Object.is(each, value))).join(" ");
        }
      }
      const app = quietApp();
      mvc.New(app).Register(provided).Handle(TwiceController);
      for (let request = 1; request <= 3; request++) {
        assertEquals([(await ask(app, "/")).body, calls], ["true true true", request], `${value} ${late}`);
      }
    }
  }
});

Deno.test("Inject() under an alias is evaluated at build time in constructors, and per request in methods", async () => {
  const use = mvc.Inject;
  class InField {
    repository = use(Repository);
    Get(): void {}
  }
  class InConstructor {
    repository: Repository;
    constructor(repository = use(Repository)) {
      this.repository = repository;
    }
    Get(): void {}
  }
  let calls = 0;
  class InMethod {
    Get(repository = use(Repository)): string {
      calls++;
      return repository.name();
    }
  }
  for (const controller of [InField, InConstructor]) {
    assertStringIncludes(failureOf(controller), 'needs the dependency "Repository", which is not registered');
  }
  const app = quietApp();
  mvc.New(app).Handle(InMethod);
  await app.Build();
  assertEquals([(await ask(app, "/")).status, calls], [500, 0]);
});

Deno.test("Inject() works in fields, constructor defaults and method defaults", async () => {
  class Everywhere {
    field = mvc.Inject(Repository);
    readonly #hidden = mvc.Inject(greeting);
    passed: Repository;
    constructor(passed = mvc.Inject(Repository)) {
      this.passed = passed;
    }
    Get(argument = mvc.Inject(Repository), { length } = mvc.Inject(greeting)): unknown {
      return [this.field === this.passed, this.passed === argument, this.#hidden, length];
    }
  }
  assertEquals(
    await bodyOf(Everywhere, new Repository(), mvc.Provide(greeting, "hi")),
    '[true,true,"hi",2]',
  );
});

Deno.test("Inject() works in services and providers", async () => {
  class Service {
    repository = mvc.Inject(Repository);
  }
  class Nested {
    service = mvc.Inject(Service);
    greeting = mvc.Inject(greeting);
    Get(): string {
      return `${this.greeting} ${this.service.repository.name()}`;
    }
  }
  const dependencies = [
    Service,
    new Repository(),
    mvc.Provide(greeting, (_ctx: fw.Context, from = mvc.Inject(Repository)) => `from ${from.name()}`),
  ];
  assertEquals(await bodyOf(Nested, ...dependencies), "from base base");
});

Deno.test("Inject() resolves the Context, the Request, the Logger and the mvc.Application without registration", async () => {
  class Builtins {
    context = mvc.Inject(fw.Context);
    request = mvc.Inject(Request);
    logger = mvc.Inject(fw.Logger);
    application = mvc.Inject(mvc.Application);
    Ctx!: fw.Context;
    Get(): unknown {
      return [
        this.context === this.Ctx,
        this.request === this.Ctx.Request(),
        this.logger === this.Ctx.Application().Logger(),
        this.application instanceof mvc.Application,
      ];
    }
  }
  assertEquals(await bodyOf(Builtins), "[true,true,true,true]");
});

Deno.test("Register() calls a function without arguments once, and one with the Context once per request", async () => {
  let onces = 0;
  let requests = 0;
  function once(): { readonly n: number } {
    return { n: ++onces };
  }
  function each(ctx: fw.Context): string {
    return `${++requests} ${ctx.Path()}`;
  }
  class Counting {
    once = mvc.Inject(once);
    each = mvc.Inject(each);
    Get(again = mvc.Inject(each), last = mvc.Inject(once)): unknown {
      return [this.once.n, this.each, again, last === this.once];
    }
  }
  const app = quietApp();
  mvc.New(app).Register(once, each).Handle(Counting);
  assertEquals((await ask(app, "/")).body, '[1,"1 /","1 /",true]');
  assertEquals((await ask(app, "/")).body, '[1,"2 /","2 /",true]');
  assertEquals([onces, requests], [1, 2]);
});

Deno.test("Register() finds the result of a function by its class", async () => {
  assertEquals(await bodyOf(NameController, () => new FastRepository()), "fast");
  assertEquals(await bodyOf(NameController, async () => await Promise.resolve(new FastRepository())), "fast");
  assertEquals(await bodyOf(NameController, () => Promise.resolve(new FastRepository())), "fast");
});

Deno.test("Register() finds a function by the class in its Provides", async () => {
  const make = Object.assign((_ctx: fw.Context) => new FastRepository(), { Provides: Repository });
  assertEquals(await bodyOf(NameController, make), "fast");
});

Deno.test("Provide() registers a value, a function or a class for a token", async () => {
  const isFast = [
    new FastRepository(),
    FastRepository,
    () => new FastRepository(),
    (_ctx: fw.Context) => new FastRepository(),
    async () => await Promise.resolve(new FastRepository()),
    async (_ctx: fw.Context) => await Promise.resolve(new FastRepository()),
  ];
  for (const value of isFast) assertEquals(await bodyOf(NameController, mvc.Provide(Repository, value)), "fast");
  // @ts-expect-error A string is not a repository.
  mvc.Provide(Repository, "text");
  // @ts-expect-error Nor is what this creates.
  mvc.Provide(Repository, () => 1);
});

Deno.test("Inject() awaits asynchronous dependencies, once or per request", async () => {
  let connections = 0;
  let users = 0;
  async function connection(): Promise<{ readonly id: number }> {
    await Promise.resolve();
    return { id: ++connections };
  }
  function user(ctx: fw.Context, db = mvc.Inject(connection)): Promise<string> {
    users++;
    return Promise.resolve(`${ctx.GetHeader("x-user")}@${db.id}`);
  }
  let bodies = 0;
  class Later {
    user = mvc.Inject(user);
    Get(db = mvc.Inject(connection), again = mvc.Inject(user)): unknown {
      bodies++;
      return [this.user, again, db.id];
    }
  }
  const app = quietApp();
  mvc.New(app).Register(connection, user).Handle(Later);
  for (const name of ["Ada", "Bob", "Cy"]) {
    const response = await app.fetch(new Request("http://localhost/", { headers: { "x-user": name } }));
    assertEquals(await response.json(), [`${name}@1`, `${name}@1`, 1]);
  }
  assertEquals([connections, users, bodies], [1, 3, 3]);
});

Deno.test("Inject() detects promises of functions that are not async, and runs the method once", async () => {
  let bodies = 0;
  function slow(_ctx: fw.Context): Promise<string> {
    return Promise.resolve("slow");
  }
  class Learning {
    field = mvc.Inject(slow);
    Get(ctx: fw.Context, argument = mvc.Inject(slow).toUpperCase()): unknown {
      bodies++;
      return [this.field, argument, ctx.Path()];
    }
    async GetAsync(argument = mvc.Inject(slow).length): Promise<unknown> {
      bodies++;
      return await Promise.resolve([argument]);
    }
  }
  const app = quietApp();
  mvc.New(app).Register(slow).Handle(Learning);
  for (let i = 0; i < 3; i++) assertEquals((await ask(app, "/")).body, '["slow","SLOW","/"]');
  for (let i = 0; i < 3; i++) assertEquals((await ask(app, "/async")).body, "[4]");
  assertEquals(bodies, 6);
});

Deno.test("Inject() retries a failed singleton on the next request", async () => {
  let tries = 0;
  async function connection(): Promise<string> {
    await Promise.resolve();
    if (++tries === 1) throw new fw.HTTPError(503, "not yet");
    return "connected";
  }
  class Connected {
    connection = mvc.Inject(connection);
    Get(): string {
      return this.connection;
    }
  }
  const app = quietApp();
  mvc.New(app).Register(connection).Handle(Connected);
  const [first, second] = [await ask(app, "/"), await ask(app, "/")];
  assertEquals([first.status, first.body, second.body], [503, "not yet", "connected"]);
});

Deno.test("Build() reports the controller, the field and the registered dependencies if one is missing", () => {
  assertEquals(
    failureOf(NameController, mvc.Provide(greeting, "hi")),
    'Cannot serve "NameController": field "repository" needs the dependency "Repository", which is not registered ' +
      '(NameController → Repository); the registered dependencies are "Application", "greeting", "Logger"',
  );
  class Passed {
    constructor(_repository = mvc.Inject(Repository).name()) {}
    Get(): void {}
  }
  assertStringIncludes(failureOf(Passed), 'the constructor needs the dependency "Repository"');
  class Argument {
    GetBy(id = 0n, _greeting = mvc.Inject(greeting), _repository = mvc.Inject(Repository)): string {
      throw new Error(`the body runs for ${id}`);
    }
  }
  assertStringIncludes(
    failureOf(Argument, mvc.Provide(greeting, "hi")),
    'argument 3 of "GetBy" needs the dependency "Repository"',
  );
});

Deno.test("Handle() constructs a controller once, and Build() does not, and neither calls its methods", () => {
  let made = 0;
  let ran = 0;
  class Counted {
    constructor() {
      made++;
    }
    Get(_greeting = mvc.Inject(greeting)): void {
      ran++;
    }
    async Post(_greeting = mvc.Inject(greeting)): Promise<void> {
      ran++;
      await Promise.resolve();
    }
  }
  const app = quietApp();
  mvc.New(app).Register(mvc.Provide(greeting, "hi")).Handle(Counted);
  assertEquals([made, ran], [1, 0]);
  app.Build();
  assertEquals([made, ran], [1, 0]);
});

Deno.test("Build() reports a constructor that throws, unless a per-request value may be the cause", async () => {
  class Broken {
    constructor() {
      throw new Error("broken");
    }
    Get(): void {}
  }
  assertStringIncludes(failureOf(Broken), 'Cannot create an instance of "Broken": its constructor throws');
  class Picky {
    constructor(user = mvc.Inject(greeting)) {
      if (user !== "hi") throw new Error("who is that");
    }
    Get(): string {
      return "welcome";
    }
  }
  assertEquals(await bodyOf(Picky, mvc.Provide(greeting, (_ctx: fw.Context) => "hi")), "welcome");
});

Deno.test("Build() allows constructors to use values that do not exist before a request", async () => {
  class Eager {
    readonly words: string[] = [];
    constructor(repository = mvc.Inject(Repository)) {
      for (const letter of repository.name().toUpperCase()) this.words.push(`${letter}!`);
      if (repository.name().length > 100) throw new Error("long");
    }
    Get(): string {
      return this.words.join("");
    }
  }
  assertEquals(await bodyOf(Eager, mvc.Provide(Repository, (_ctx: fw.Context) => new Repository())), "B!A!S!E!");
});

Deno.test("Inject() rejects singletons that depend on per-request values, and circular dependencies", () => {
  function user(_ctx: fw.Context): string {
    return "Ada";
  }
  class Captive {
    user = mvc.Inject(user);
  }
  class Capturing {
    captive = mvc.Inject(Captive);
    Get(): void {}
  }
  assertStringIncludes(
    failureOf(Capturing, Captive, user),
    'Cannot create the singleton "Captive": it depends on "user", which is created per request (Capturing → Captive → user)',
  );
  class Chicken {
    egg: unknown = mvc.Inject(Egg);
  }
  class Egg {
    chicken: unknown = mvc.Inject(Chicken);
  }
  class Circling {
    egg = mvc.Inject(Egg);
    Get(): void {}
  }
  assertStringIncludes(
    failureOf(Circling, Chicken, Egg),
    'Cannot create "Egg": circular dependency (Egg → Chicken → Egg)',
  );
});

Deno.test("Register() rejects values without a class", () => {
  const m = mvc.New(quietApp());
  for (const value of ["text", 1, null, undefined, {}, [1]]) {
    assertThrows(() => m.Register(value), fw.FrameworkError, "it has no class to serve as its token");
  }
  class Needy {
    constructor(_id: number) {}
  }
  assertThrows(() => m.Register(Needy), fw.FrameworkError, "its constructor is called without arguments");
});

Deno.test("Register() throws after the application has been built", () => {
  const app = quietApp();
  const m = mvc.New(app);
  app.Build();
  assertThrows(() => m.Register(new Repository()), fw.FrameworkError, "the application has already been built");
  assertThrows(() => m.Handle(NameController), fw.FrameworkError, "the application has already been built");
});

Deno.test("Inject() throws with an explanation outside code that fw calls", () => {
  const message = assertThrows(() => mvc.Inject(Repository), fw.FrameworkError).message;
  assertEquals(
    message,
    'Cannot inject "Repository": this code runs after an await, in a callback, at module level or in the constructor of a class ' +
      "that the program constructs itself; inject in a field, a constructor or a default argument, and let fw construct the " +
      "class, with Register(Class) or Handle(mvc.Singleton(Class))",
  );
  assertThrows(() => new NameController(), fw.FrameworkError, "Handle(mvc.Singleton(Class))");
});

Deno.test("Application.Clone() and Party() inherit dependencies, but not those registered later", async () => {
  class Where {
    repository = mvc.Inject(Repository);
    application = mvc.Inject(mvc.Application);
    Ctx!: fw.Context;
    Get(): string {
      return `${this.repository.name()} ${this.application.Router.Prefix()}`;
    }
  }
  const app = quietApp();
  const parent = mvc.New(app).Register(new Repository());
  const child = parent.Party("/child").Register(new FastRepository()).Handle(Where);
  const clone = parent.Clone(app.Party("/clone")).Handle(Where);
  assertEquals(child === clone, false);
  parent.Handle(Where);
  assertEquals((await ask(app, "/")).body, "base /");
  assertEquals((await ask(app, "/child")).body, "fast /child");
  assertEquals((await ask(app, "/clone")).body, "base /clone");
});

Deno.test("Application.Clone() shares singletons", async () => {
  let runs = 0;
  function once(): { readonly n: number } {
    return { n: ++runs };
  }
  class Once {
    once = mvc.Inject(once);
    Get(): number | string {
      return String(this.once.n);
    }
  }
  const app = quietApp();
  const parent = mvc.New(app).Register(once).Handle(Once);
  parent.Party("/child").Handle(Once);
  assertEquals([(await ask(app, "/")).body, (await ask(app, "/child")).body, runs], ["1", "1", 1]);
});

Deno.test("PerRequest() disposes of values after the response, in reverse order", async () => {
  const log: string[] = [];
  class Resource implements AsyncDisposable {
    readonly name: string;
    constructor(name: string) {
      this.name = name;
    }
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.resolve();
      log.push(`closed ${this.name}`);
    }
  }
  function first(_ctx: fw.Context): Resource {
    return new Resource("first");
  }
  async function second(_ctx: fw.Context): Promise<Resource> {
    return await Promise.resolve(new Resource("second"));
  }
  function third(_ctx: fw.Context, _of = mvc.Inject(second)): Disposable {
    return { [Symbol.dispose]: () => void log.push("closed third") };
  }
  class Using {
    first = mvc.Inject(first);
    Get(_second = mvc.Inject(second), _third = mvc.Inject(third)): string {
      log.push("served");
      return "done";
    }
    GetBoom(): void {
      throw new Error("boom");
    }
  }
  const app = quietApp();
  mvc.New(app).Register(mvc.PerRequest(first), mvc.PerRequest(second), mvc.PerRequest(third)).Handle(Using);
  assertEquals((await ask(app, "/")).body, "done");
  assertEquals(log.splice(0), ["served", "closed third", "closed second", "closed first"]);
  assertEquals((await ask(app, "/boom")).status, 500);
  assertEquals(log, ["closed first"]);
});

Deno.test("Inject() does not accept an fw.Key, and Values.Get() does not accept an mvc.Token", () => {
  const key = fw.Key<string>("user");
  const token = mvc.Token<string>("user");
  // @ts-expect-error A key is not a token.
  assertThrows(() => mvc.Provide(key, "Ada"), fw.FrameworkError, "it is not a class, a token or a function");
  class Reading {
    Get(ctx: fw.Context): string {
      // @ts-expect-error A token is not a key.
      return ctx.Values().Get(token) ?? "absent";
    }
  }
  assertEquals(typeof new Reading().Get, "function");
});

Deno.test("Inject() and Provide() accept a class with a private constructor", async () => {
  class Database {
    // deno-lint-ignore fw/no-private-keyword -- a constructor cannot be #private.
    private constructor() {}
    static open(): Database {
      return new Database();
    }
    name(): string {
      return "closed";
    }
  }
  class Asking {
    first = mvc.Inject(Database);
    Get(second = mvc.Inject(Database)): unknown {
      const names: string[] = [this.first.name(), second.name()];
      return names;
    }
    BeforeActivation(b: mvc.BeforeActivation): void {
      assertEquals(b.Dependencies().Has(Database), true);
    }
  }
  const app = quietApp();
  mvc.New(app).Register(mvc.Provide(Database, () => Database.open())).Handle(Asking);
  assertEquals((await ask(app, "/")).body, '["closed","closed"]');
  // @ts-expect-error It is not a database.
  mvc.Provide(Database, "closed");
  // @ts-expect-error A function of two arguments is neither a class nor a provider.
  assertThrows(() => mvc.Inject((_ctx: fw.Context, _more: number) => 1));
});
