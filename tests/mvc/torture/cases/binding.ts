// Cases about path arguments, which depend on the name of the method and on the names and default values of its
// arguments.

import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import type { Case } from "../case.ts";

/** Casts a controller that the compiler rejects, to test the check at run time. */
function unchecked(controller: object): new () => Record<never, never> {
  return controller as new () => Record<never, never>;
}

const SHORTENED = "may be the Context or a path parameter";
const UNCLEAR = "names this short may be minified";

/** Cases about arguments. */
export const bindingCases: readonly Case[] = [
  {
    name: "7: literal default values determine the types of path arguments",
    async run({ m, ask }) {
      class Types {
        GetBy(id = 0n, ok = false, count = 1_000, name = "") {
          return [typeof id, typeof ok, typeof count, typeof name];
        }
      }
      m.Handle(Types);
      await ask("/1/true/3/x");
    },
    works: ['200 ["bigint","boolean","number","string"]'],
  },
  {
    name: "7: a path argument without a default value is a string",
    async run({ m, ask }) {
      class Names {
        GetBy(name: string) {
          return name;
        }
        GetUserByFriendsBy(name: string, friend: string) {
          return [name, friend];
        }
      }
      m.Handle(Names);
      await ask("/ada");
      await ask("/user/ada/friends/bob");
    },
    works: ["200 ada", '200 ["ada","bob"]'],
  },
  {
    name: "7: ctx before a path argument is the Context, or rejected if its name was mangled",
    async run({ m, ask }) {
      class First {
        GetBy(ctx: fw.Context, id = 0n) {
          return `${ctx.Path()} ${id}`;
        }
      }
      m.Handle(First);
      await ask("/7");
    },
    works: ["200 /7 7"],
    refused: { minify: SHORTENED, terser: SHORTENED },
  },
  {
    name: "7: the Context can be injected in any build",
    async run({ m, ask }) {
      class Asked {
        Ctx!: fw.Context;
        GetBy(id = 0n, ctx = mvc.Inject(fw.Context)) {
          return `${ctx.Path()} ${this.Ctx.Path()} ${id}`;
        }
      }
      m.Handle(Asked);
      await ask("/7");
    },
    works: ["200 /7 /7 7"],
  },
  {
    name: "7: the only argument of a method without By is the Context in any build",
    async run({ m, ask }) {
      class Only {
        GetPage(request: fw.Context) {
          return request.Path();
        }
      }
      m.Handle(Only);
      await ask("/page");
    },
    works: ["200 /page"],
  },
  {
    name: "7: b.Handle binds by name in another order, or is rejected if the names were mangled",
    async run({ m, ask }) {
      class Books {
        BeforeActivation(b: mvc.BeforeActivation) {
          b.Handle("GET", "/{owner:uint64}/book/{id:uint64}", "Show");
        }
        Show(id = 0n, owner = 0n) {
          return `book ${id} of ${owner}`;
        }
      }
      m.Handle(Books);
      await ask("/7/book/3");
    },
    works: ["200 book 3 of 7"],
    refused: { minify: UNCLEAR, terser: UNCLEAR },
  },
  {
    name: "7: b.Handle with fewer arguments binds the right one, or is rejected if the names were mangled",
    async run({ m, ask }) {
      class Books {
        BeforeActivation(b: mvc.BeforeActivation) {
          b.Handle("DELETE", "/{owner:uint64}/book/{id:uint64}", "Remove");
        }
        Remove(id = 0n) {
          return `removed ${id}`;
        }
      }
      m.Handle(Books);
      await ask("/7/book/3", "DELETE");
    },
    works: ["200 removed 3"],
    refused: { minify: UNCLEAR, terser: UNCLEAR },
  },
  {
    name: "7: b.Handle binds by types if they are unambiguous",
    async run({ m, ask }) {
      class Books {
        BeforeActivation(b: mvc.BeforeActivation) {
          b.Handle("GET", "/{shelf:string}/{id:uint64}", "Show");
        }
        Show(id = 0n, shelf = "") {
          return `book ${id} on ${shelf}`;
        }
      }
      m.Handle(Books);
      await ask("/left/3");
    },
    works: ["200 book 3 on left"],
  },
  {
    name: "7: mvc.Signature keeps the names of arguments in any build",
    async run({ m, ask }) {
      class Books {
        BeforeActivation(b: mvc.BeforeActivation) {
          b.Handle("GET", "/{owner:uint64}/book/{id:uint64}", "Show");
        }
        Show(id = 0n, owner = 0n) {
          return `book ${id} of ${owner}`;
        }
        static {
          mvc.Signature(this.prototype.Show, "(id = 0n, owner = 0n)");
        }
      }
      m.Handle(Books);
      await ask("/7/book/3");
    },
    works: ["200 book 3 of 7"],
  },
  {
    name: "7: b.Handle rejects arguments if only some names match",
    run({ m, app }) {
      class Books {
        BeforeActivation(b: mvc.BeforeActivation) {
          b.Handle("GET", "/{owner:uint64}/book/{id:uint64}", "Show");
        }
        Show(book = 0n, owner = 0n) {
          return `book ${book} of ${owner}`;
        }
      }
      m.Handle(Books);
      app.Build();
    },
    refused: { source: "is not named after", bundle: "is not named after", minify: UNCLEAR, terser: UNCLEAR },
  },
  {
    name: "7: a decorated method keeps its signature with mvc.Signature",
    async run({ m, ask, note }) {
      function traced<A extends unknown[], R>(
        method: (this: unknown, ...args: A) => R,
      ): (this: unknown, ...args: A) => R {
        return mvc.Signature(function (this: unknown, ...args: A) {
          note("traced");
          return method.apply(this, args);
        }, method);
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
      await ask("/7");
    },
    works: ["traced", '200 {"id":7}'],
  },
  {
    name: "7: a required argument of another type, which the compiler rejects, is a string at run time",
    async run({ m, ask }) {
      class Numbers {
        GetBy(id: number) {
          return typeof id;
        }
      }
      m.Handle(unchecked(Numbers));
      await ask("/7");
    },
    works: ["200 string"],
  },
];
