import { assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import { exchangeOf } from "../../../src/core/context/context.ts";
import { quiet } from "../../serving.ts";

/** Reports whether an object belongs to the application or the platform rather than to the request. */
function isShared(value: object, shared: ReadonlySet<unknown>): boolean {
  return shared.has(value) || value instanceof Request || value instanceof Response || value instanceof Headers;
}

/** Returns the objects that can be reached from a value through fields. */
function objectsOf(value: unknown, shared: ReadonlySet<unknown>, seen: Set<object> = new Set()): Set<object> {
  if (typeof value !== "object" || value === null || seen.has(value) || isShared(value, shared)) return seen;
  seen.add(value);
  for (const field of Object.values(value)) objectsOf(field, shared, seen);
  return seen;
}

/** Serves a request and returns the kinds of the objects that fw created for it. The target is a plain object. */
async function kindsFor(handler: fw.Handler, path: string): Promise<string[]> {
  const app = quiet();
  let ctx: fw.Context | undefined;
  app.Get("/user/{id}", (it) => {
    ctx = it;
    return handler(it);
  });
  await app.Build();
  await app.fetch(new Request(`http://localhost${path}`));
  if (ctx === undefined) throw new Error("Cannot count objects: the handler was not called");
  const exchange = exchangeOf(ctx);
  const { runtime, route } = exchange;
  const shared = new Set<unknown>([runtime, route, route.chain, route.names]);
  return [...objectsOf(exchange, shared)].map((each) => each.constructor.name).sort();
}

Deno.test("Application.fetch() creates six objects for a request with a parameter that nothing reads", async () => {
  assertEquals(await kindsFor((ctx) => ctx.WriteString("x"), "/user/7"), [
    "Array",
    "Chain",
    "Context",
    "Draft",
    "Exchange",
    "Object",
  ]);
});

Deno.test("Application.fetch() creates one more object if the handler reads the parameter", async () => {
  assertEquals(await kindsFor((ctx) => ctx.WriteString(ctx.Params().Get("id")), "/user/7"), [
    "Array",
    "Chain",
    "Context",
    "Draft",
    "Exchange",
    "Object",
    "Params",
  ]);
});
