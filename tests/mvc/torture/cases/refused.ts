// Methods that look like routes but are not valid, or that are routes by accident. `Handle` rejects them in every build
// that can detect them.

import type * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import type { Case } from "../case.ts";

const SIZE = 10;
const sizes = { page: Number(new Date(0)) + 25 };

/** Cases that are rejected. */
export const refusedCases: readonly Case[] = [
  {
    name: "7: a constant as a default value is rejected, unless a minifier replaces it with a literal",
    async run({ m, ask }) {
      class Pages {
        GetBy(size = SIZE) {
          return `size ${size}`;
        }
      }
      m.Handle(Pages);
      await ask("/3");
    },
    works: ["200 size 3"],
    refused: "neither a literal nor a call",
    either: ["minify", "terser"],
  },
  {
    name: "7: a property as a default value is rejected",
    run({ m, app }) {
      class Pages {
        GetBy(id = 0, size = sizes.page) {
          return `${id} ${size}`;
        }
      }
      m.Handle(Pages);
      app.Build();
    },
    refused: "neither a literal nor a call",
  },
  {
    name: "7: a Context under another name is rejected, unless the name looks mangled",
    run({ m, app }) {
      class Users {
        GetBy(c: fw.Context, id = 0) {
          return `${c.Path()} ${id}`;
        }
      }
      m.Handle(Users);
      app.Build();
    },
    refused: "may be",
  },
  {
    name: "7: a wrapper that hides the signature is rejected",
    run({ m, app }) {
      function traced<A extends unknown[], R>(
        method: (this: unknown, ...args: A) => R,
      ): (this: unknown, ...args: A) => R {
        return function (this: unknown, ...args: A) {
          return method.apply(this, args);
        };
      }
      class Users {
        GetBy(id = 0) {
          return { id };
        }
        static {
          this.prototype.GetBy = traced(this.prototype.GetBy);
        }
      }
      m.Handle(Users);
      app.Build();
    },
    refused: "declare it with mvc.Signature",
  },
  {
    name: "7: a wrapper that passes on its arguments is rejected",
    run({ m, app }) {
      class Users {
        Get(ctx: fw.Context) {
          return ctx.Path();
        }
        static {
          const original = this.prototype.Get;
          this.prototype.Get = function () {
            return original.apply(this, arguments as unknown as [fw.Context]);
          };
        }
      }
      m.Handle(Users);
      app.Build();
    },
    refused: "declare it with mvc.Signature",
  },
  {
    name: "7: a guard in an arrow function of a class is rejected",
    run({ m }) {
      class Guarded {
        BeginRequest = (ctx: fw.Context) => ctx.StopWithStatus(401);
        Delete() {
          return "deleted";
        }
      }
      m.Handle(Guarded);
    },
    refused: "would never be called; write it as a method",
  },
  {
    name: "7: a guard in an arrow function fails the request if the class cannot be constructed at build time",
    async run({ m, ask }) {
      class Limits {
        readonly size = 3;
      }
      class Guarded {
        readonly size = mvc.Inject(Limits).size.toFixed();
        BeginRequest = (ctx: fw.Context) => ctx.StopWithStatus(401);
        Delete() {
          return "deleted";
        }
      }
      m.Register(new Limits()).Handle(Guarded);
      await ask("/", "DELETE");
      await ask("/", "DELETE");
    },
    works: ["500 Internal Server Error", "500 Internal Server Error"],
  },
  {
    name: "7: an arrow function named like a route is rejected",
    run({ m }) {
      class Fields {
        Get() {
          return "method";
        }
        GetMore = () => "field";
      }
      m.Handle(Fields);
    },
    refused: "would never be called; write it as a method",
  },
  {
    name: "7: a method with a custom route that is replaced by the constructor is rejected",
    run({ m }) {
      class Replaced {
        BeforeActivation(b: mvc.BeforeActivation) {
          b.Handle("GET", "/shown", "Show");
        }
        constructor() {
          this.Show = this.Show.bind(this);
        }
        Show() {
          return "method";
        }
      }
      m.Handle(Replaced);
    },
    refused: "replaces the method of the same name",
  },
  {
    name: "7: a guard in an arrow function of an instance is rejected",
    run({ m }) {
      class Guarded {
        BeginRequest = (ctx: fw.Context) => ctx.StopWithStatus(401);
        Delete() {
          return "deleted";
        }
      }
      m.Handle(new Guarded());
    },
    refused: "would never be called; write it as a method",
  },
  {
    name: "7: a method that is replaced by the constructor of an instance is rejected",
    run({ m }) {
      class Replaced {
        constructor() {
          this.Get = () => "field";
        }
        Get() {
          return "method";
        }
      }
      m.Handle(new Replaced());
    },
    refused: "replaces the method of the same name",
  },
];
