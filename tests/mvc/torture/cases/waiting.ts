// Cases about hooks with asynchronous dependencies, failures that reach `HandleError`, and circular dependencies that
// must not hang.

import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { Inject as use } from "../../../../mvc/mod.ts";
import type { Case } from "../case.ts";

async function pause(): Promise<void> {
  await new Promise((done) => setTimeout(done, 0));
}

async function slow(_ctx: fw.Context): Promise<string> {
  await pause();
  return "slow";
}

function hidden(_ctx: fw.Context): Promise<string> {
  return pause().then(() => "hidden");
}

async function broken(_ctx: fw.Context): Promise<string> {
  await pause();
  throw new fw.HTTPError(503, "broken");
}

async function brokenShared(): Promise<string> {
  await pause();
  throw new fw.HTTPError(503, "broken");
}

const hooks: readonly Case[] = [
  {
    name: "5: BeginRequest, EndRequest and HandleError can have asynchronous dependencies",
    async run({ m, ask, note }) {
      class Hooked {
        BeginRequest(_ctx: fw.Context, a = mvc.Inject(slow), b = mvc.Inject(hidden)) {
          note(`begin ${a} ${b}`);
        }
        Get() {
          return "body";
        }
        GetThrown() {
          throw new fw.HTTPError(409, "taken");
        }
        GetReturned() {
          return new Error("bad");
        }
        async EndRequest(_ctx: fw.Context, a = mvc.Inject(slow), b = mvc.Inject(hidden)) {
          await pause();
          note(`end ${a} ${b}`);
        }
        HandleError(ctx: fw.Context, error: Error, a = mvc.Inject(hidden), b = mvc.Inject(slow)) {
          ctx.Text(`${error.message} ${a} ${b}`);
        }
      }
      m.Register(slow, hidden).Handle(Hooked);
      for (const path of ["/", "/", "/thrown", "/returned"]) await ask(path);
    },
    works: ["200 body", "200 body", "409 taken hidden slow", "400 bad hidden slow"].flatMap((response) => [
      "begin slow hidden",
      "end slow hidden",
      response,
    ]),
  },
  {
    name: "5: EndRequest and HandleError can have asynchronous dependencies that nothing else injects",
    async run({ m, ask, note }) {
      class Ending {
        Get() {
          return "body";
        }
        EndRequest(_ctx: fw.Context, a = mvc.Inject(hidden)) {
          note(`end ${a}`);
        }
      }
      class Failing {
        Get() {
          throw new fw.HTTPError(409, "taken");
        }
        HandleError(ctx: fw.Context, error: Error, a = mvc.Inject(hidden)) {
          ctx.Text(`${error.message} ${a}`);
        }
      }
      m.Register(hidden).Handle(Ending).Party("/failing").Handle(Failing);
      for (const path of ["/", "/failing"]) await ask(path);
    },
    works: ["end hidden", "200 body", "409 taken hidden"],
  },
  {
    name: "5: a hook that injects an asynchronous value under an alias fails the request",
    async run({ m, ask, note }) {
      class Ending {
        Get() {
          return "body";
        }
        EndRequest(_ctx: fw.Context, a = use(hidden)) {
          note(`end ${a}`);
        }
      }
      m.Register(hidden).Handle(Ending);
      await ask("/");
    },
    works: ["end hidden", "200 body"],
    inSource: ["500 Internal Server Error"],
  },
  ...Object.entries({ broken, brokenShared }).flatMap(([name, token]): Case[] => [
    {
      name: `5: rejections (${name}) in fields, constructors, BeginRequest and arguments reach HandleError`,
      async run({ m, ask }) {
        class Handling {
          Get(): unknown {
            return "body";
          }
          HandleError(ctx: fw.Context, error: Error) {
            ctx.Text(`handled ${error.message}`);
          }
        }
        class Field extends Handling {
          value = mvc.Inject<string>(token);
        }
        class Constructed extends Handling {
          constructor(_value = use<string>(token)) {
            super();
          }
        }
        class Beginning extends Handling {
          BeginRequest(_ctx: fw.Context, _value = mvc.Inject<string>(token)) {}
        }
        class Argument extends Handling {
          override Get(_value = mvc.Inject<string>(token)) {
            return "body";
          }
        }
        const parts = { Field, Constructed, Beginning, Argument };
        for (const [path, type] of Object.entries(parts)) {
          m.Party(`/${path}`).Register(token).Handle(type);
          m.Party(`/app/${path}`).Register(token).HandleError((ctx) => ctx.Text("not asked")).Handle(type);
        }
        for (const path of Object.keys(parts)) {
          for (let i = 0; i < 2; i++) await ask(`/${path}`);
          await ask(`/app/${path}`);
        }
      },
      works: Array.from({ length: 12 }, () => "503 handled broken"),
    },
    {
      name: `5: rejections (${name}) reach HandleError of the application`,
      async run({ m, ask }) {
        class Field {
          value = mvc.Inject<string>(token);
          Get() {
            return "body";
          }
        }
        class Beginning {
          BeginRequest(_ctx: fw.Context, _value = mvc.Inject<string>(token)) {}
          Get() {
            return "body";
          }
        }
        m.Register(token).HandleError((ctx, error) => ctx.Text(`application ${error.message}`));
        m.Handle(Field).Party("/begin").Handle(Beginning);
        await ask("/");
        await ask("/begin");
      },
      works: ["503 application broken", "503 application broken"],
    },
    {
      name: `5: a constructor can catch rejections (${name})`,
      async run({ m, ask }) {
        class Prepared {
          value: string;
          constructor() {
            try {
              this.value = mvc.Inject<string>(token);
            } catch (error) {
              this.value = `without: ${(error as Error).message}`;
            }
          }
          Get() {
            return this.value;
          }
        }
        m.Register(token).Handle(Prepared);
        for (let i = 0; i < 2; i++) await ask("/");
      },
      works: ["200 without: broken", "200 without: broken"],
    },
  ]),
  ...[false, true].map((isUsed): Case => ({
    name: `5: a constructor that catches all errors ${
      isUsed ? "fails without" : "receives"
    } its asynchronous dependency`,
    async run({ m, ask }) {
      function attempt(inject: () => string) {
        try {
          return inject();
        } catch {
          return "lost";
        }
      }
      class Catching {
        first = attempt(() => mvc.Inject(hidden));
        // The dependencies after one that is used are not known before the constructor runs.
        path = isUsed ? mvc.Inject(fw.Context).Path() : "/";
        second = attempt(() => mvc.Inject(slow));
        Get() {
          return [this.first, this.path, this.second];
        }
      }
      m.Register(slow, hidden).Handle(Catching);
      for (let i = 0; i < 2; i++) await ask("/");
    },
    works: isUsed
      ? ["500 Internal Server Error", "500 Internal Server Error"]
      : ['200 ["hidden","/","slow"]', '200 ["hidden","/","slow"]'],
  })),
  {
    name: "5: a default value that catches all errors still fails the request",
    async run({ m, ask }) {
      function attempt(token: typeof hidden) {
        try {
          return mvc.Inject(token);
        } catch {
          return "lost";
        }
      }
      class Catching {
        Get(value = attempt(hidden)) {
          return value;
        }
        async GetAsync(value = attempt(hidden)) {
          await pause();
          return value;
        }
      }
      m.Register(hidden).Handle(Catching);
      for (const path of ["/", "/async"]) await ask(path);
    },
    works: ["500 Internal Server Error", "500 Internal Server Error"],
  },
];

const circles: readonly Case[] = [
  {
    name: "6: a circular dependency that is detected fails the build with its path",
    run({ m, app }) {
      async function first(_ctx: fw.Context, of: unknown = mvc.Inject(second)) {
        await pause();
        return of;
      }
      async function second(_ctx: fw.Context, of: unknown = mvc.Inject(third)) {
        await pause();
        return of;
      }
      async function third(_ctx: fw.Context, of: unknown = mvc.Inject(first)) {
        await pause();
        return of;
      }
      class Circling {
        Get(of = mvc.Inject(first)) {
          return of;
        }
      }
      m.Register(first, second, third).Handle(Circling);
      app.Build();
    },
    refused: "circular dependency",
  },
  ...[false, true].map((isShared): Case => ({
    name: `6: a circular dependency of ${
      isShared ? "singletons" : "per-request values"
    } that is not detected fails immediately`,
    async run({ m, ask }) {
      const first = mvc.Token<string>("first");
      const second = mvc.Token<string>("second");
      const provisions = isShared
        ? [mvc.Provide(first, (of = use(second)) => of), mvc.Provide(second, (of = use(first)) => of)]
        : [
          mvc.Provide(first, (_ctx: fw.Context, of = use(second)) => of),
          mvc.Provide(second, (_ctx: fw.Context, of = use(first)) => of),
        ];
      class Circling {
        Get(of = use(first)) {
          return of;
        }
        HandleError(ctx: fw.Context, error: Error) {
          ctx.Text(error.message.includes("circular dependency (") ? "circle" : error.message);
        }
      }
      m.Register(...provisions).Handle(Circling);
      for (let i = 0; i < 2; i++) await ask("/");
    },
    works: ["500 circle", "500 circle"],
    // In a bundle, the alias is gone, so the circular dependency is detected.
    refused: { bundle: "circular dependency", minify: "circular dependency", terser: "circular dependency" },
  })),
  {
    name: "6: two concurrent requests with a circular dependency do not deadlock",
    async run({ m, app, note }) {
      const first = mvc.Token<string>("first");
      const second = mvc.Token<string>("second");
      function helper(token: mvc.Token<string>) {
        return mvc.Inject(token);
      }
      async function make(of: string) {
        await pause();
        return of;
      }
      class Circling {
        GetFirst(of = helper(first)) {
          return of;
        }
        GetSecond(of = helper(second)) {
          return of;
        }
      }
      m.Register(
        mvc.Provide(first, async (of = helper(second)) => await make(of)),
        mvc.Provide(second, async (of = helper(first)) => await make(of)),
      ).Handle(Circling);
      app.Build();
      const responses = await Promise.all(
        ["/first", "/second"].map((path) => app.fetch(new Request(`http://localhost${path}`))),
      );
      for (const response of responses) note(String(response.status));
    },
    works: ["500", "500"],
  },
  ...[false, true].map((isReversed): Case => ({
    name: `6: functions that construct dependencies for each other work ${
      isReversed ? "in reverse order" : "in order"
    }`,
    async run({ m, ask, note }) {
      class Repo {
        readonly name = "repo";
        constructor() {
          note("repo");
        }
      }
      class Service {
        repo = mvc.Inject(Repo);
      }
      class Asking {
        service = mvc.Inject(Service);
        Get() {
          return this.service.repo.name;
        }
      }
      const both = [() => new Service(), () => new Repo()];
      m.Register(...isReversed ? both.toReversed() : both).Handle(Asking);
      await ask("/");
    },
    works: ["repo", "200 repo"],
  })),
];

/** Cases about waiting. */
export const waitingCases: readonly Case[] = [...hooks, ...circles];
