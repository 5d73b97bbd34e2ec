/** A `GET /users/42` service that returns an object from a repository, as a controller and as plain handlers. */

import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import { Hono } from "npm:hono@4.13.17";
import type { Scenario, Serve } from "./candidates.ts";

class Users {
  find(id: number): { id: number; name: string } {
    return { id, name: "Ada" };
  }
}

class UserController {
  users: Users = mvc.Inject(Users);

  GetBy(id = 0n): { id: number; name: string } {
    return this.users.find(Number(id));
  }
}

/** The scenario. The others are compared to fw's own plain handler. */
export const controllers: Scenario = {
  path: "/users/42",
  serve: { plain: plain(), controller: controller(), hono: hono() },
};

function controller(): Serve {
  const app = fw.New();
  mvc.New(app.Party("/users")).Register(new Users()).Handle(UserController);
  return app.fetch;
}

function plain(): Serve {
  const users = new Users();
  const app = fw.New();
  app.Get("/users/{id:long}", (ctx) => ctx.JSON(users.find(Number(ctx.Params().GetInt64Default("id", 0n)))));
  return app.fetch;
}

function hono(): Serve {
  const users = new Users();
  const app = new Hono();
  app.get("/users/:id{[0-9]+}", (c) => c.json(users.find(Number(c.req.param("id")))));
  return (request) => app.fetch(request);
}
