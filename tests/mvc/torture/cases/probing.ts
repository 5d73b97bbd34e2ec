// Cases about the discovery of dependencies when the application is built.

import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { Inject as use } from "../../../../mvc/mod.ts";
import type { Case } from "../case.ts";

class Audit {
  readonly rows: unknown[] = [];
  add(row: unknown): void {
    this.rows.push(row);
  }
}

function user(ctx: fw.Context): { readonly names: string[] } {
  return { names: [ctx.GetHeader("x-user")] };
}

/** Functions of another library that have the same names as fw's injecting functions. */
const values = new Map<unknown, unknown>();
function Inject(token: unknown): unknown {
  if (!values.has(token)) values.set(token, {});
  return values.get(token);
}
const library = { Inject, mvc: { Inject } };

async function pause(): Promise<void> {
  await new Promise((done) => setTimeout(done, 0));
}

/** Cases about discovery. */
export const probingCases: readonly Case[] = [
  {
    name: "9: no body runs when the application is built, regardless of default values",
    run({ m, app, note }) {
      function clock(_zone?: string) {
        return performance.now();
      }
      const zone = "UTC";
      class Bodies {
        Get(_user = mvc.Inject(user)) {
          note("body");
        }
        GetOther(_user = use(user)) {
          note("body");
        }
        GetClock(_now = clock(), _user = mvc.Inject(user)) {
          note("body");
        }
        GetZone(_now = clock(zone)) {
          note("body");
        }
        async GetAsync(_user = mvc.Inject(user), _now = clock(zone)) {
          note("body");
          await pause();
        }
        GetPart(_names = mvc.Inject(user).names.length, { names } = use(user)) {
          note(`body ${names}`);
        }
        BeginRequest(_ctx: fw.Context, _user = use(user)) {
          note("begin");
        }
        EndRequest(_ctx: fw.Context, _user = mvc.Inject(user)) {
          note("end");
        }
        HandleError(_ctx: fw.Context, _error: Error, _user = mvc.Inject(user)) {
          note("error");
        }
      }
      m.Register(user).Handle(Bodies);
      app.Build();
    },
    works: [],
  },
  {
    name: "9: no body runs when the application is built, even if it calls the Inject of another library",
    run({ m, app, note }) {
      class Bodies {
        Get(_user = Inject(user)) {
          note("body");
        }
        GetMember(_user = library.Inject(user)) {
          note("body");
        }
        GetNested(_user = library.mvc.Inject(user), _own = mvc.Inject(user)) {
          note("body");
        }
        async GetAsync(_own = mvc.Inject(user), _user = Inject(user)) {
          note("body");
          await pause();
        }
        EndRequest(_ctx: fw.Context, _user = Inject(user)) {
          note("end");
        }
      }
      function provider(_ctx: fw.Context, of = Inject(user)) {
        note("provider");
        return of;
      }
      class Local {
        provided = mvc.Inject(provider);
        Get(_user = Inject(user)) {
          note("body");
        }
      }
      m.Register(user, provider).Handle(Bodies).Party("/local").Handle(Local);
      app.Build();
    },
    works: [],
  },
  {
    name: "9: a method with mvc.Signature is not called when the application is built",
    async run({ m, ask, note }) {
      function traced<A extends unknown[], R>(method: (this: unknown, ...args: A) => R) {
        return mvc.Signature(function (this: unknown, ...args: A): R {
          note("traced");
          return method.apply(this, args);
        }, method);
      }
      class Traced {
        Get(of = mvc.Inject(user)) {
          return of.names.join();
        }
        static {
          this.prototype.Get = traced(this.prototype.Get);
        }
      }
      m.Register(user).Handle(Traced);
      await ask("/", "GET", { "x-user": "Ada" });
    },
    works: ["traced", "200 Ada"],
  },
  {
    name: "9: a constructor that uses its dependencies has no effect when the application is built",
    async run({ m, ask, app, note }) {
      const audit = new Audit();
      class Auditing {
        user = mvc.Inject(user);
        audit = mvc.Inject(Audit);
        constructor() {
          this.audit.add(this.user);
        }
        Get() {
          return String(this.audit.rows.length);
        }
      }
      m.Register(audit, user).Handle(Auditing);
      app.Build();
      note(`${audit.rows.length} rows`);
      await ask("/");
    },
    works: ["0 rows", "200 1"],
  },
  {
    name: "9: a constructor that loops over a dependency does not hang when the application is built",
    async run({ m, ask }) {
      class Looping {
        readonly letters: string[] = [];
        constructor(of = mvc.Inject(user)) {
          for (const name of of.names) this.letters.push(...name);
          for (let i = 0; i < of.names.length; i++) this.letters.push("!");
          while (this.letters.length < 5) this.letters.push(of.names[0] ?? "");
        }
        Get() {
          return this.letters.length - 1;
        }
      }
      m.Register(user).Handle(Looping);
      await ask("/", "GET", { "x-user": "x".repeat(200) });
    },
    works: ["200 "],
  },
  {
    name: "9: work started by a constructor does not cause unhandled rejections when the application is built",
    async run({ m, app, ask }) {
      class Starting {
        user = mvc.Inject(user);
        readonly ready = this.#start();
        async #start() {
          await pause();
          return this.user.names.join();
        }
        constructor() {
          void this.#start().then((names) => names.length);
          void this.#start().catch((error) => Promise.reject(new Error("wrapped", { cause: error })));
        }
        async Get() {
          return await this.ready;
        }
      }
      m.Register(user).Handle(Starting);
      app.Build();
      for (let i = 0; i < 3; i++) await pause();
      await ask("/", "GET", { "x-user": "Ada" });
    },
    works: ["200 Ada"],
  },
  {
    name: "9: a registered class has no effect when the application is built",
    async run({ m, app, ask, note }) {
      const audit = new Audit();
      async function connection() {
        await pause();
        return "connected";
      }
      class Service {
        connection = mvc.Inject(connection);
        audit = mvc.Inject(Audit);
        constructor() {
          this.audit.add(this.connection);
        }
      }
      class Asking {
        service = mvc.Inject(Service);
        Get() {
          return this.service.audit.rows;
        }
      }
      m.Register(audit, connection, Service).Handle(Asking);
      app.Build();
      note(`${audit.rows.length} rows`);
      for (let i = 0; i < 2; i++) await ask("/");
    },
    works: ["0 rows", '200 ["connected"]', '200 ["connected"]'],
  },
  {
    name: "9: a constructor that fails because of a stand-in is not reported when the application is built",
    async run({ m, ask }) {
      class Picky {
        constructor(of = mvc.Inject(user)) {
          if (of.names[0] !== "Ada") throw new fw.HTTPError(403, "who");
        }
        Get() {
          return "welcome";
        }
      }
      m.Register(user).Handle(Picky);
      await ask("/", "GET", { "x-user": "Ada" });
      await ask("/");
    },
    works: ["200 welcome", "403 who"],
  },
  {
    name: "19: a missing transitive dependency fails the build",
    run({ m, app }) {
      class Database {}
      class Service {
        database = mvc.Inject(Database);
      }
      function account(_ctx: fw.Context, of = mvc.Inject(Service)) {
        return of;
      }
      class Asking {
        Get(of = mvc.Inject(account)) {
          return String(of);
        }
      }
      m.Register(account, Service).Handle(Asking);
      app.Build();
    },
    refused: "which is not registered (",
  },
  ...Object.entries({ BeginRequest: 0, EndRequest: 0, HandleError: 1, HandleHTTPError: 0 }).map(([hook]): Case => ({
    name: `19: a missing dependency of ${hook} fails the build`,
    run({ m, app }) {
      const missing = mvc.Token<string>("missing");
      class Hooked {
        Get() {
          return "body";
        }
        Hook(_ctx: fw.Context, _missing = mvc.Inject(missing)) {}
        static {
          Object.defineProperty(this.prototype, hook, { value: this.prototype.Hook });
        }
      }
      m.Handle(Hooked);
      app.Build();
    },
    refused: "which is not registered (",
  })),
  {
    name: "19: a singleton that transitively depends on a per-request value fails the build",
    run({ m, app }) {
      class Inner {
        user = mvc.Inject(user);
      }
      class Outer {
        inner = mvc.Inject(Inner);
      }
      class Asking {
        outer = mvc.Inject(Outer);
        Get() {
          return "body";
        }
      }
      m.Register(user, Inner, Outer).Handle(Asking);
      app.Build();
    },
    refused: "which is created per request (",
  },
  {
    name: "17: a controller without routes is rejected",
    run({ m }) {
      class Small {
        getUsers() {
          return [];
        }
      }
      m.Handle(Small);
    },
    refused: "has no route",
  },
];
