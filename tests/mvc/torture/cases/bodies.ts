// Cases about calls of `Inject` in method bodies, which must not run twice.

import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { Inject as use } from "../../../../mvc/mod.ts";
import type { Case } from "../case.ts";

class Users {
  readonly count: number = 3;
}

async function pause(): Promise<void> {
  await new Promise((done) => setTimeout(done, 0));
}

/** Returns the injected value, or the beginning of the error message. */
function attempt(inject: () => unknown): string {
  try {
    return `injected ${typeof inject()}`;
  } catch (error) {
    return error instanceof fw.FrameworkError ? "refused" : `threw ${error}`;
  }
}

let atModuleLevel = "";
atModuleLevel = attempt(() => mvc.Inject(Users));

async function slow(_ctx: fw.Context): Promise<string> {
  await pause();
  return "slow";
}

async function shared(): Promise<string> {
  await pause();
  return "shared";
}

function hidden(_ctx: fw.Context): Promise<string> {
  return pause().then(() => "hidden");
}

const outside: readonly Case[] = [
  {
    name: "3: Inject at module level throws",
    run({ note }) {
      note(atModuleLevel);
    },
    works: ["refused"],
  },
  {
    name: "3: Inject after an await, in a callback and in a timer throws and fails the request",
    async run({ m, ask, note }) {
      function isAdmin(_ctx: fw.Context) {
        return false;
      }
      class Awaiting {
        async Get() {
          await pause();
          note(attempt(() => mvc.Inject(isAdmin)));
          return "reached";
        }
        async GetDelete() {
          await pause();
          if (!mvc.Inject(isAdmin)) return 403;
          return "deleted";
        }
        async GetTimer() {
          const timer = Promise.withResolvers<string>();
          setTimeout(() => timer.resolve(attempt(() => mvc.Inject(Users))), 0);
          return await timer.promise;
        }
        async GetThen() {
          return await Promise.resolve().then(() => attempt(() => use(Users)));
        }
      }
      m.Register(new Users(), isAdmin).Handle(Awaiting);
      for (const path of ["/", "/delete", "/timer", "/then"]) await ask(path);
    },
    works: ["refused", "200 reached", "500 Internal Server Error", "200 refused", "200 refused"],
  },
  {
    name: "3: an instance cannot have injected fields, but mvc.Singleton can",
    async run({ m, ask, note }) {
      class Single {
        users = mvc.Inject(Users);
        Get() {
          return String(this.users.count);
        }
      }
      note(attempt(() => m.Handle(new Single())));
      note(attempt(() => m.Register(new Single())));
      m.Register(Users).Handle(mvc.Singleton(Single));
      await ask("/");
    },
    works: ["refused", "refused", "200 3"],
  },
  {
    name: "3: Inject works in a callback that is called during a constructor or method",
    async run({ m, ask }) {
      class Mapping {
        counts = [Users].map((each) => mvc.Inject(each).count);
        Get() {
          return [...this.counts, ...[Users].map((each) => mvc.Inject(each).count)];
        }
      }
      m.Register(new Users()).Handle(Mapping);
      await ask("/");
    },
    works: ["200 [3,3]"],
  },
];

const bodies: readonly Case[] = [
  {
    name: "4: synchronous values can be injected in a body before its first await",
    async run({ m, ask }) {
      function path(ctx: fw.Context) {
        return ctx.Path();
      }
      class Body {
        Get() {
          return `${mvc.Inject(path)} ${use(Users).count}`;
        }
        async GetLater() {
          const users = mvc.Inject(Users);
          await pause();
          return String(users.count);
        }
      }
      m.Register(new Users(), path).Handle(Body);
      await ask("/");
      await ask("/later");
    },
    works: ["200 / 3", "200 3"],
  },
  ...Object.entries({ slow, shared, hidden }).map(([name, token]): Case => ({
    name: `4: a body that injects an asynchronous value (${name}) runs once and fails`,
    async run({ m, ask, note }) {
      class Body {
        Get() {
          note("body");
          return mvc.Inject<string>(token);
        }
        async GetAsync() {
          note("body");
          await pause();
          return "not reached";
        }
      }
      class Asking extends Body {
        override async GetAsync() {
          note("body");
          const value = mvc.Inject<string>(token);
          await pause();
          return value;
        }
        GetArgument(_users = mvc.Inject(Users), _count = use(Users).count) {
          note("body");
          return mvc.Inject<string>(token);
        }
        GetNow(_now = Date.now(), _day = Math.floor(3)) {
          note("body");
          return mvc.Inject<string>(token);
        }
      }
      m.Register(new Users(), token).Handle(Asking);
      for (const path of ["/", "/", "/async", "/async", "/argument", "/now"]) await ask(path);
    },
    works: Array.from({ length: 6 }, () => ["body", "500 Internal Server Error"]).flat(),
  })),
  {
    name: "4: asynchronous values work in default values, fields and constructors, and the body runs once",
    async run({ m, ask, note }) {
      class Everywhere {
        field = mvc.Inject(slow);
        passed: string;
        constructor(passed = use(hidden)) {
          this.passed = passed;
        }
        Get(argument = mvc.Inject(shared), length = use(hidden).length, { length: other } = mvc.Inject(slow)) {
          note("body");
          return [this.field, this.passed, argument, length, other];
        }
      }
      m.Register(slow, shared, hidden).Handle(Everywhere);
      for (let i = 0; i < 2; i++) await ask("/");
    },
    works: ["body", '200 ["slow","hidden","shared",6,4]', "body", '200 ["slow","hidden","shared",6,4]'],
  },
  {
    name: "4: an asynchronous argument that is undefined is created once",
    async run({ m, ask, note }) {
      function maybe(_ctx: fw.Context): Promise<string | undefined> {
        note("maybe");
        return pause().then(() => undefined);
      }
      function nothing(_ctx: fw.Context): string | undefined {
        note("nothing");
        return undefined;
      }
      class Optional {
        Get(first = mvc.Inject(maybe), second = mvc.Inject(maybe), third = use(maybe), fourth = mvc.Inject(nothing)) {
          return [first ?? 1, second ?? 2, third ?? 3, fourth ?? mvc.Inject(nothing) ?? 4];
        }
      }
      m.Register(maybe, nothing).Handle(Optional);
      for (let i = 0; i < 2; i++) await ask("/");
    },
    works: ["maybe", "nothing", "200 [1,2,3,4]", "maybe", "nothing", "200 [1,2,3,4]"],
  },
  {
    name: "4: a per-request function that injects another value in its body runs once",
    async run({ m, ask, note }) {
      function name(ctx: fw.Context) {
        note("name");
        return ctx.GetHeader("x-name");
      }
      async function user(_ctx: fw.Context) {
        note("user");
        const of = mvc.Inject(name);
        await pause();
        return `user ${of}`;
      }
      async function account(_ctx: fw.Context, of = mvc.Inject(user)) {
        note("account");
        await pause();
        return `account of ${of} ${mvc.Inject.length}`;
      }
      class Reading {
        user = mvc.Inject(user);
        Get(account_ = mvc.Inject(account), again = mvc.Inject(user)) {
          return [this.user === again, account_];
        }
      }
      m.Register(name, user, account).Handle(Reading);
      for (const each of ["Ada", "Bob"]) await ask("/", "GET", { "x-name": each });
    },
    works: [
      "user",
      "name",
      "account",
      '200 [true,"account of user Ada 1"]',
      "user",
      "name",
      "account",
      '200 [true,"account of user Bob 1"]',
    ],
  },
  {
    name: "4: a function that injects an asynchronous value in its body runs once and fails",
    async run({ m, ask, note }) {
      async function account(_ctx: fw.Context) {
        note("account");
        const of = mvc.Inject(slow);
        await pause();
        return of;
      }
      class Reading {
        Get(account_ = mvc.Inject(account)) {
          return account_;
        }
        GetField(account_ = use(account)) {
          return account_;
        }
      }
      m.Register(slow, account).Handle(Reading);
      for (const path of ["/", "/", "/field"]) await ask(path);
    },
    works: [
      "account",
      "500 Internal Server Error",
      "account",
      "500 Internal Server Error",
      "account",
      "500 Internal Server Error",
    ],
  },
  ...[false, true].map((isAsync): Case => ({
    name: `4: a conditional Inject ${
      isAsync ? "of an asynchronous value fails" : "works"
    }, and other requests do not need it`,
    async run({ m, ask, note }) {
      function login(ctx: fw.Context): string | Promise<string> {
        note("login");
        return isAsync ? pause().then(() => ctx.GetHeader("x-user")) : ctx.GetHeader("x-user");
      }
      class Conditional {
        name = "stranger";
        constructor(ctx = mvc.Inject(fw.Context)) {
          if (ctx.GetHeader("x-user") !== "") this.name = mvc.Inject<string>(login);
        }
        Get(ctx: fw.Context) {
          return `${this.name} ${ctx.GetHeader("x-user") === "" ? "-" : mvc.Inject<string>(login)}`;
        }
      }
      m.Register(login).Handle(Conditional);
      for (const user of ["", "Ada", "", "Bob", ""]) await ask("/", "GET", { "x-user": user });
    },
    works: isAsync
      ? [
        "200 stranger -",
        "login",
        "500 Internal Server Error",
        "200 stranger -",
        "login",
        "500 Internal Server Error",
        "200 stranger -",
      ]
      : ["200 stranger -", "login", "200 Ada Ada", "200 stranger -", "login", "200 Bob Bob", "200 stranger -"],
  })),
];

/** Cases about method bodies. */
export const bodyCases: readonly Case[] = [...outside, ...bodies];
