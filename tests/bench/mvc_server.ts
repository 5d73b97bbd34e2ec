/**
 * One process that serves the same user by a plain handler of fw, a controller of fw, and a plain handler of Hono; which
 * one is chosen over a control port.
 */

import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import { Hono } from "npm:hono@4.13.17";

type Serve = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

class UserService {
  find(id: bigint): { readonly id: number; readonly name: string } {
    return { id: Number(id), name: "Ada" };
  }
}

class UserController {
  users = mvc.Inject(UserService);
  GetBy(id = 0n): unknown {
    return this.users.find(id);
  }
}

const users = new UserService();

function plain(): Serve {
  const app = fw.New();
  app.Get("/users/{id:long}", (ctx) => ctx.JSON(users.find(ctx.Params().GetInt64Default("id", 0n))));
  return app.fetch;
}

function controller(): Serve {
  const app = fw.New();
  mvc.New(app.Party("/users")).Register(users).Handle(UserController);
  return app.fetch;
}

function hono(): Serve {
  const app = new Hono();
  app.get("/users/:id{-?[0-9]+}", (c) => c.json(users.find(BigInt(c.req.param("id")))));
  return (request) => app.fetch(request);
}

const candidates: Readonly<Record<string, Serve>> = { plain: plain(), controller: controller(), hono: hono() };
let current: Serve = () => new Response("none is chosen", { status: 503 });

const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request, info) => current(request, info));
const control = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
  const [, name] = JSON.parse(await request.text()) as [string, string];
  const chosen = candidates[name];
  if (chosen === undefined) return new Response("unknown", { status: 404 });
  current = chosen;
  return new Response("ok");
});

await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port} ${control.addr.port}\n`));
