import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as auth from "../../../src/middleware/login/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import { Visitor } from "./visitor.ts";

/** The content of a session. */
interface Model {
  readonly user?: string;
  readonly count?: number;
  readonly message?: string;
  /** Whether this request has created the session. */
  readonly isNew?: true;
}

interface Step {
  /** Changes the session of a request. */
  run(session: sessions.Session, ctx: fw.Context): unknown;
  /** Returns the session afterwards, or `undefined` if it has ended. */
  expect(before: Model): Model | undefined;
}

const steps: Record<string, Step> = {
  count: { run: (session) => session.Increment("count"), expect: (it) => ({ ...it, count: (it.count ?? 0) + 1 }) },
  clear: { run: (session) => session.Clear(), expect: ({ count: _, ...it }) => it },
  flash: { run: (session) => session.SetFlash("message", "F"), expect: (it) => ({ ...it, message: "F" }) },
  take: { run: (session) => session.GetFlash("message"), expect: ({ message: _, ...it }) => it },
  regenerate: { run: (session) => session.Regenerate(), expect: (it) => it },
  destroy: { run: (session) => session.Destroy(), expect: () => undefined },
  logout: { run: (_, ctx) => auth.Logout(ctx), expect: () => undefined },
  login: { run: (_, ctx) => auth.Login(ctx, { ID: "ada" }), expect: () => ({ user: "ada", isNew: true }) },
  another: { run: (_, ctx) => auth.Login(ctx, { ID: "bob" }), expect: () => ({ user: "bob", isNew: true }) },
  keep: {
    run: (_, ctx) => auth.Login(ctx, { ID: "ada" }, { Keep: ["count"] }),
    expect: ({ count }) => ({ user: "ada", ...count !== undefined && { count }, isNew: true }),
  },
};

/** Returns the session after some requests, or `undefined` if there is none. */
function expected(requests: readonly string[][]): Model | undefined {
  let stored: Model | undefined;
  for (const names of requests) {
    let model = stored;
    for (const name of names) model = steps[name]?.expect(model ?? { isNew: true });
    const { isNew, ...content } = model ?? { isNew: true };
    stored = isNew && Object.keys(content).length === 0 ? undefined : content;
  }
  return stored;
}

const names = Object.keys(steps);
for (const before of ["nothing", "count", "flash", "login"]) {
  Deno.test(`Sessions write any two steps of one or two requests as documented, after ${before}`, async () => {
    const manager = sessions.New();
    let request: string[] = [];
    const app = fw.New();
    app.Use(auth.Session({ Sessions: manager, Load: (id) => ({ ID: id, Name: id, Roles: [], Method: "test" }) }));
    app.Get("/", async (ctx) => {
      for (const name of request) await steps[name]?.run(await manager.Start(ctx), ctx);
    });
    app.Get("/state", (ctx) => {
      const session = sessions.Get(ctx);
      ctx.JSON({ user: ctx.User()?.ID, count: session?.Get("count"), message: session?.PeekFlash("message") });
    });
    const first = before === "nothing" ? [] : [[before]];
    for (const pair of names.flatMap((one) => names.map((other) => [one, other] as const))) {
      for (const requests of [[...first, [...pair]], [...first, [pair[0]], [pair[1]]]]) {
        const visitor = new Visitor(app.fetch);
        for (request of requests) {
          await visitor.ask("/");
          assertEquals([requests, visitor.status, visitor.line.includes("\n")], [requests, 200, false]);
        }
        const model = expected(requests);
        assertEquals([requests, JSON.parse(await visitor.ask("/state"))], [requests, model ?? {}]);
        for (const user of ["ada", "bob"]) {
          const sessionsOfUser = await manager.Of(user).List();
          assertEquals([requests, user, sessionsOfUser.length], [requests, user, model?.user === user ? 1 : 0]);
        }
        assertEquals([requests, await manager.DestroyAll()], [requests, model === undefined ? 0 : 1]);
      }
    }
  });
}
