// Cases about the creation and disposal of dependencies.

import type * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import type { Case, Trial } from "../case.ts";

class Pool {
  static opened = 0;
  readonly id: number = ++Pool.opened;
  isOpen = true;
  [Symbol.dispose](): void {
    this.isOpen = false;
  }
}

/** Wraps a function as a tracer does, which hides its parameters. */
function traced<A extends unknown[], R>(call: (...args: A) => R, note: Trial["note"]): (...args: A) => R {
  return (...args) => {
    note("traced");
    return call(...args);
  };
}

/** Cases about lifetimes. */
export const lifetimeCases: readonly Case[] = [
  {
    name: "11: a function is rejected if its parameters do not show how often it should run",
    run({ m, note }) {
      m.Register(traced(() => new Pool(), note));
    },
    refused: "do not show how often it should run",
  },
  {
    name: "11: a function that uses `arguments` or is bound is rejected as well",
    run({ m, note }) {
      for (
        const each of [
          function () {
            return (arguments as unknown as [fw.Context])[0];
          },
          (() => new Pool()).bind(null),
          new Proxy(() => new Pool(), {}),
        ]
      ) {
        try {
          m.Register(each);
          note("registered");
        } catch {
          note("refused");
        }
      }
    },
    works: ["refused", "refused", "refused"],
  },
  {
    name: "11: mvc.Singleton and mvc.PerRequest determine how often a function runs",
    async run({ m, ask, note }) {
      const once = traced(() => ({ name: "once" }), note);
      const each = traced((ctx: fw.Context) => ({ name: ctx.Path() }), note);
      class Asking {
        once = mvc.Inject(once);
        Get(of = mvc.Inject(each)) {
          return `${this.once.name} ${of.name}`;
        }
      }
      m.Register(mvc.Singleton(once), mvc.PerRequest(each)).Handle(Asking);
      for (let i = 0; i < 2; i++) await ask("/");
    },
    works: ["traced", "traced", "200 once /", "traced", "200 once /"],
  },
  {
    name: "9.3: what a function chooses for a request stays open, mvc.Scoped closes",
    async run({ m, ask }) {
      const pools = { a: new Pool(), b: new Pool() };
      function tenant(ctx: fw.Context) {
        return ctx.GetHeader("x-tenant") === "a" ? pools.a : pools.b;
      }
      const own: Pool[] = [];
      function scoped(_ctx: fw.Context) {
        const pool = new Pool();
        own.push(pool);
        return pool;
      }
      class Tenants {
        pool = mvc.Inject(tenant);
        Get(of = mvc.Inject(scoped)) {
          return [this.pool.isOpen, of.isOpen, own.map((each) => each.isOpen)];
        }
      }
      m.Register(tenant, mvc.PerRequest(scoped)).Handle(Tenants);
      for (const name of ["a", "a", "b"]) await ask("/", "GET", { "x-tenant": name });
    },
    works: ["200 [true,true,[true]]", "200 [true,true,[false,true]]", "200 [true,true,[false,false,true]]"],
  },
  {
    name: "9.3: mvc.Scoped takes a class, a function without arguments and an asynchronous one",
    async run({ m, ask, note }) {
      class Unit {
        constructor() {
          note("unit");
        }
        async [Symbol.asyncDispose]() {
          await Promise.resolve();
          note("unit closed");
        }
      }
      function bare() {
        return { [Symbol.dispose]: () => note("bare closed") };
      }
      async function later() {
        await Promise.resolve();
        return { [Symbol.dispose]: () => note("later closed") };
      }
      class Using {
        Get(_unit = mvc.Inject(Unit), _bare = mvc.Inject(bare), _later = mvc.Inject(later)) {
          note("body");
        }
      }
      m.Register(mvc.PerRequest(Unit), mvc.PerRequest(bare), mvc.PerRequest(later)).Handle(Using);
      await ask("/");
    },
    // The first record comes from the trial run when the application is built.
    works: ["unit", "unit", "body", "later closed", "bare closed", "unit closed", "200 "],
  },
];
