// Cases about guards. If a dependency fails or stops the request, nothing after it runs.

import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { Inject as use } from "../../../../mvc/mod.ts";
import type { Case, Trial } from "../case.ts";

interface User {
  readonly name: string;
}
type Guard = (ctx: fw.Context) => User | Promise<User>;
type Charge = (ctx: fw.Context) => number;
type Note = Trial["note"];

/** Waits until all other tasks that are ready have run. */
async function pause(): Promise<void> {
  await new Promise((done) => setTimeout(done, 0));
}

/** Creates a guard that rejects every request, synchronously or asynchronously. */
function newGuard(note: Note, isAsync: boolean): Guard {
  function refuse(ctx: fw.Context): User {
    ctx.StopWithStatus(401);
    return { name: "stranger" };
  }
  return (ctx) => {
    note("guard");
    return isAsync ? pause().then(() => refuse(ctx)) : refuse(ctx);
  };
}

/** Creates a dependency that must not be created after a guard has stopped the request. */
function newCharge(note: Note): Charge {
  return (_ctx) => {
    note("charge");
    return 1;
  };
}

function helper(token: Guard): User {
  return mvc.Inject(token);
}

/** Creates a controller with a guarded method, and the dependencies it needs in addition to the guard. */
type Shape = (note: Note, guard: Guard, charge: Charge) => readonly [new () => Record<never, never>, ...unknown[]];

const shapes: Readonly<Record<string, Shape>> = {
  "an argument": (note, guard, charge) => [
    class {
      Delete(_user = mvc.Inject(guard), _charge = mvc.Inject(charge)) {
        note("deleted");
      }
    },
  ],
  "an argument under another name": (note, guard, charge) => [
    class {
      Delete(_user = use(guard), _charge = use(charge)) {
        note("deleted");
      }
    },
  ],
  "an argument under another name, before one of the published name": (note, guard, charge) => [
    class {
      Delete(_user = use(guard), _charge = mvc.Inject(charge)) {
        note("deleted");
      }
    },
  ],
  "a part of a dependency": (note, guard, charge) => [
    class {
      Delete(_name = mvc.Inject(guard).name, _charge = mvc.Inject(charge)) {
        note("deleted");
      }
    },
  ],
  "a pattern": (note, guard, charge) => [
    class {
      Delete({ name } = mvc.Inject(guard), _charge = mvc.Inject(charge)) {
        note(`deleted ${name}`);
      }
    },
  ],
  "a helper": (note, guard, charge) => [
    class {
      Delete(_user = helper(guard), _charge = mvc.Inject(charge)) {
        note("deleted");
      }
    },
  ],
  "an argument of an asynchronous method": (note, guard, charge) => [
    class {
      async Delete(_user = use(guard), _charge = use(charge)) {
        note("deleted");
        await pause();
      }
    },
  ],
  "a field": (note, guard, charge) => [
    class {
      user = mvc.Inject(guard);
      charge = mvc.Inject(charge);
      Delete() {
        note("deleted");
      }
    },
  ],
  "an argument of the constructor": (note, guard, charge) => [
    class {
      constructor(_user = mvc.Inject(guard), _charge = use(charge)) {}
      Delete() {
        note("deleted");
      }
    },
  ],
  "a constructor that catches everything": (note, guard, charge) => [
    class {
      constructor() {
        for (const each of [guard, charge]) {
          try {
            mvc.Inject<unknown>(each);
          } catch {
            // Continues in spite of the error.
          }
        }
      }
      Delete() {
        note("deleted");
      }
    },
  ],
  "BeginRequest": (note, guard, charge) => [
    class {
      BeginRequest(_ctx: fw.Context, _user = mvc.Inject(guard), _charge = mvc.Inject(charge)) {
        note("begun");
      }
      Delete() {
        note("deleted");
      }
    },
  ],
  "a function's argument": (note, guard, charge) => {
    function account(_ctx: fw.Context, user = mvc.Inject(guard), _charge = mvc.Inject(charge)) {
      note("account");
      return user.name;
    }
    class Deleting {
      Delete(_account = mvc.Inject(account)) {
        note("deleted");
      }
    }
    return [Deleting, account];
  },
  "an asynchronous function's argument": (note, guard, charge) => {
    async function account(_ctx: fw.Context, user = use(guard), _charge = use(charge)) {
      note("account");
      await pause();
      return user.name;
    }
    class Deleting {
      Delete(_account = mvc.Inject(account)) {
        note("deleted");
      }
    }
    return [Deleting, account];
  },
  "a function's body, which catches": (note, guard, charge) => {
    function account(_ctx: fw.Context) {
      try {
        return mvc.Inject(guard);
      } catch {
        return "anonymous";
      }
    }
    class Deleting {
      Delete(_account = mvc.Inject(account), _charge = mvc.Inject(charge)) {
        note("deleted");
      }
    }
    return [Deleting, account];
  },
};

/** Terser inlines small functions. */
const INLINED = { terser: "has neither a literal nor a call there" };

/** The records if an asynchronous guard is injected by an unknown function. */
const NOT_KNOWN = ["guard", "500 Internal Server Error", "guard", "500 Internal Server Error"];
const otherNames: ReadonlySet<string> = new Set([
  "an argument under another name",
  "an argument under another name, before one of the published name",
  "an argument of an asynchronous method",
  "an asynchronous function's argument",
]);

function shapeCase(name: string, shape: Shape, isAsync: boolean): Case {
  const isHelper = name === "a helper";
  return {
    name: `1: a guard in ${name} stops the request ${
      isAsync ? "asynchronously, or fails it" : "synchronously"
    }, and nothing else runs`,
    async run({ m, ask, note }) {
      const guard = newGuard(note, isAsync);
      const charge = newCharge(note);
      const [controller, ...others] = shape(note, guard, charge);
      m.Register(mvc.PerRequest(guard), mvc.PerRequest(charge), ...others).Handle(controller);
      for (let i = 0; i < 2; i++) await ask("/", "DELETE");
    },
    works: isHelper && isAsync ? NOT_KNOWN : ["guard", "401 Unauthorized", "guard", "401 Unauthorized"],
    ...isAsync && otherNames.has(name) && { inSource: NOT_KNOWN },
    ...isHelper && { refused: INLINED },
  };
}

const stopping: readonly Case[] = Object.entries(shapes).flatMap(([name, shape]) => {
  // Asynchronous dependencies cannot be injected in a body, even if the error is caught.
  const isBody = name.startsWith("a function's body");
  return [shapeCase(name, shape, false), ...isBody ? [] : [shapeCase(name, shape, true)]];
});

const others: readonly Case[] = [
  {
    name: "1: a method that continues after its guard has stopped the request does not change the response",
    async run({ m, ask, note }) {
      const guard = newGuard(note, false);
      function attempt(token: Guard): User | undefined {
        try {
          return mvc.Inject(token);
        } catch {
          return undefined;
        }
      }
      class Deleting {
        Delete(_user = attempt(guard)) {
          return "deleted";
        }
      }
      m.Register(mvc.PerRequest(guard)).Handle(Deleting);
      await ask("/", "DELETE");
    },
    works: ["guard", "401 Unauthorized"],
    refused: INLINED,
  },
  {
    name: "1: a method can stop the request and inject dependencies afterwards",
    async run({ m, ask, note }) {
      function audit(_ctx: fw.Context) {
        return note;
      }
      class Stopping {
        Get(ctx: fw.Context) {
          ctx.StopWithText(409, "taken");
          mvc.Inject(audit)("audited");
        }
        EndRequest(_ctx: fw.Context, log = mvc.Inject(audit)) {
          log("ended");
        }
      }
      m.Register(audit).Handle(Stopping);
      await ask("/");
    },
    works: ["audited", "ended", "409 taken"],
  },
  {
    name: "2: the dependencies of a call are created one after another, in source order",
    async run({ m, ask, note }) {
      function slow(name: string) {
        return async (_ctx: fw.Context) => {
          note(`${name} begins`);
          await pause();
          note(`${name} ends`);
        };
      }
      const [a, b, c] = [slow("a"), slow("b"), slow("c")] as const;
      class Ordered {
        c = mvc.Inject(c);
        Get(_b = mvc.Inject(b), _a = mvc.Inject(a)) {
          note("body");
        }
      }
      m.Register(a, b, c).Handle(Ordered);
      await ask("/");
    },
    works: ["c begins", "c ends", "b begins", "b ends", "a begins", "a ends", "body", "200 "],
  },
  {
    name: "2: adjacent parallel dependencies are created at the same time, after the ones before them",
    async run({ m, ask, note }) {
      function slow(name: string, waits: () => Promise<unknown>) {
        return async (_ctx: fw.Context) => {
          note(`${name} begins`);
          await waits();
          note(`${name} ends`);
        };
      }
      const met = Promise.withResolvers<void>();
      const guard = slow("guard", pause);
      // The first dependency completes only after the second one has started.
      const first = slow("first", () => met.promise);
      const second = slow("second", () => Promise.resolve(met.resolve()));
      class Parallel {
        Get(_guard = mvc.Inject(guard), _first = mvc.Inject(first), _second = mvc.Inject(second)) {
          note("body");
        }
      }
      m.Register(guard, mvc.Parallel(first), mvc.Parallel(second)).Handle(Parallel);
      await ask("/");
    },
    works: [
      "guard begins",
      "guard ends",
      "first begins",
      "second begins",
      "first ends",
      "second ends",
      "body",
      "200 ",
    ],
  },
  ...[false, true].map((isAsync): Case => ({
    name: `2: resources are closed when a later dependency fails ${isAsync ? "asynchronously" : "synchronously"}`,
    async run({ m, ask, note }) {
      function opener(name: string) {
        return (_ctx: fw.Context) => {
          note(`open ${name}`);
          const connection = { [Symbol.dispose]: () => note(`close ${name}`) };
          return isAsync ? pause().then(() => connection) : connection;
        };
      }
      function broken(_ctx: fw.Context): string | Promise<string> {
        if (isAsync) return pause().then(() => Promise.reject(new fw.HTTPError(503, "broken")));
        throw new fw.HTTPError(503, "broken");
      }
      const [a, b, c] = [opener("a"), opener("b"), opener("c")] as const;
      class Opening {
        a = mvc.Inject(a);
        Get(_b = mvc.Inject(b), _broken = mvc.Inject(broken), _c = mvc.Inject(c)) {
          note("body");
        }
      }
      m.Register(mvc.PerRequest(a), mvc.PerRequest(b), mvc.PerRequest(c), broken).Handle(Opening);
      await ask("/");
    },
    works: ["open a", "open b", "close b", "close a", "503 broken"],
  })),
  {
    name: "2: parallel dependencies that complete after a failure are closed as well",
    async run({ m, ask, note }) {
      const failed = Promise.withResolvers<void>();
      async function broken(_ctx: fw.Context): Promise<string> {
        await pause();
        throw new fw.HTTPError(503, "broken");
      }
      async function late(_ctx: fw.Context) {
        await failed.promise;
        return { [Symbol.dispose]: () => note("closed") };
      }
      class Opening {
        Get(_broken = mvc.Inject(broken), _late = mvc.Inject(late)) {
          note("body");
        }
      }
      m.Register(mvc.Parallel(broken), mvc.Parallel(mvc.PerRequest(late))).Handle(Opening);
      await ask("/");
      failed.resolve();
      await pause();
    },
    works: ["503 broken", "closed"],
  },
];

/** Cases about guards and the order of dependencies. */
export const guardCases: readonly Case[] = [...stopping, ...others];
