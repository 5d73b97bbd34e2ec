/**
 * The part of the subject that stores the user in an `AsyncLocalStorage`.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import type { Grounds } from "./grounds.ts";

/** The features that this part adds to the subject. */
export const contextFeatures: readonly string[] = [
  "contexts",
  "contexts of loaded code",
  "contexts of closed requests",
];

const users = new AsyncLocalStorage<string>();

function user(): string {
  return users.getStore() ?? "nobody";
}

/** Yields the name of the user at different times. */
async function* names(): AsyncGenerator<string> {
  for (let i = 0; i < 3; i++) {
    yield `${user()};`;
    await new Promise((resolve) => setTimeout(resolve, 5 * i));
  }
}

class NamesController {
  *Get() {
    yield `${user()};`;
    yield `${user()};`;
  }
}

/** Adds the routes. */
export function addContexts(app: fw.Application, grounds: Grounds): void {
  const party = app.Party("/contexts");
  party.Get("/start", (ctx) => ctx.WriteString(user()));
  const named = party.Party("/named");
  let closed = "";
  named.Use((ctx) => users.run(ctx.GetHeader("x-user"), () => ctx.Next()));
  named.Post("/form", async (ctx) => ctx.WriteString(`${await ctx.PostValue("name")};${user()}`));
  named.Get("/file", (ctx) => ctx.ServeFile(`${grounds.publicFolder}/a.txt`));
  named.Get("/xml", (ctx) => ctx.XML({ user: user() }));
  named.Get("/stream", (ctx) => ctx.Stream(names()));
  named.Get("/events", (ctx) => ctx.Events(names()));
  named.Get("/closing", (ctx) => {
    ctx.OnClose(() => void (closed = user()));
    ctx.WriteString("closing");
  });
  party.Get("/closed", (ctx) => ctx.WriteString(closed));
  mvc.New(named.Party("/names")).Handle(NamesController);
}
