/**
 * `deno task bench contracts`: a POST whose JSON body is checked by a schema, in process: a controller of fw with
 * `mvc.Body`, Hono with its `zValidator`, Elysia with its own validation, and a hand-written handler that calls zod.
 *
 * The candidates take turns within one process; the medians of their rounds and the spread are printed, in microseconds per
 * request and as a ratio to the hand-written one.
 *
 * Options: --rounds=N (15), --requests=N per round (3000).
 */

import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import { zValidator } from "npm:@hono/zod-validator@^0.8";
import { Elysia, t } from "npm:elysia@1.4.30";
import { Hono } from "npm:hono@4.13.17";
import { z } from "npm:zod@^4";

type Serve = (request: Request) => Response | Promise<Response>;

const schema = z.object({ name: z.string().min(2), mail: z.email(), age: z.number().int().positive() });
const body = JSON.stringify({ name: "Ada", mail: "ada@example.com", age: 36 });
const headers = { "content-type": "application/json", "content-length": String(body.length) };

class UserController {
  Post(user = mvc.Body(schema)) {
    return { name: user.name, age: user.age };
  }
}

function fwServe(): Serve {
  const app = fw.New();
  mvc.New(app.Party("/users")).Handle(UserController);
  return app.fetch;
}

function honoServe(): Serve {
  const app = new Hono();
  app.post("/users", zValidator("json", schema), (c) => {
    const user = c.req.valid("json");
    return c.json({ name: user.name, age: user.age });
  });
  return (request) => app.fetch(request);
}

function elysiaServe(): Serve {
  const shape = t.Object({ name: t.String({ minLength: 2 }), mail: t.String({ format: "email" }), age: t.Integer() });
  const app = new Elysia().post("/users", ({ body: user }) => ({ name: user.name, age: user.age }), { body: shape });
  return (request) => app.handle(request);
}

async function raw(request: Request): Promise<Response> {
  const user = schema.safeParse(await request.json());
  if (!user.success) return new Response(null, { status: 422 });
  return Response.json({ name: user.data.name, age: user.data.age });
}

const candidates: Readonly<Record<string, Serve>> = { raw, fw: fwServe(), hono: honoServe(), elysia: elysiaServe() };

function option(name: string, fallback: number): number {
  return Number(Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.split("=")[1] ?? fallback);
}

async function measure(serve: Serve, requests: number): Promise<number> {
  const started = performance.now();
  for (let at = 0; at < requests; at++) {
    const response = await serve(new Request("http://localhost/users", { method: "POST", body, headers }));
    if (response.status !== 200) throw new Error(`A candidate responded with ${response.status}`);
    await response.text();
  }
  return (performance.now() - started) * 1000 / requests;
}

const rounds = option("rounds", 15);
const requests = option("requests", 3000);
const times: Record<string, number[]> = {};
for (const serve of Object.values(candidates)) await measure(serve, requests);
for (let round = 0; round < rounds; round++) {
  for (const [name, serve] of Object.entries(candidates)) (times[name] ??= []).push(await measure(serve, requests));
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}

const base = median(times["raw"] ?? []);
for (const [name, list] of Object.entries(times)) {
  const [low, high] = [Math.min(...list), Math.max(...list)];
  // deno-lint-ignore no-console -- its output is what this program is for
  console.log(
    `${name.padEnd(8)} ${median(list).toFixed(1).padStart(7)} µs (${low.toFixed(1)}-${high.toFixed(1)})  ` +
      `${(median(list) / base).toFixed(2)} of raw`,
  );
}
