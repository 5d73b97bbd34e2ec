/** A `POST /users` service with a JSON body that is validated by a schema, written idiomatically for each candidate. */

import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import { zValidator } from "npm:@hono/zod-validator@^0.8";
import { Elysia, t } from "npm:elysia@1.4.30";
import { Hono } from "npm:hono@4.13.17";
import { z } from "npm:zod@^4";
import type { Scenario, Serve } from "./candidates.ts";

const schema = z.object({ name: z.string().min(2), mail: z.email(), age: z.number().int().positive() });

class UserController {
  Post(user = mvc.Body(schema)): { name: string; age: number } {
    return { name: user.name, age: user.age };
  }
}

/** The request body. */
export const body: string = JSON.stringify({ name: "Ada", mail: "ada@example.com", age: 36 });

/**
 * The scenario: a hand-written handler that calls zod, a controller, Hono with `zValidator`, and Elysia with its own
 * validation.
 */
export const checked: Scenario = {
  path: "/users",
  serve: { raw, fw: fwServe(), hono: honoServe(), elysia: elysiaServe() },
};

async function raw(request: Request): Promise<Response> {
  const user = schema.safeParse(await request.json());
  if (!user.success) return new Response(null, { status: 422 });
  return Response.json({ name: user.data.name, age: user.data.age });
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
