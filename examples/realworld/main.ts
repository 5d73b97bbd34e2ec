/**
 * The RealWorld backend (https://github.com/gothinkster/realworld), with HTML pages for readers.
 *
 * Run it with `deno task example realworld` and open http://localhost:8080.
 *
 * Permissions: `--allow-net --allow-read=.,examples/realworld --allow-write=. --allow-env=DATABASE,JWT_SECRET,PORT`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as cors from "jsr:@fw/web/middleware/cors";
import * as mvc from "jsr:@fw/web/mvc";
import * as openapi from "jsr:@fw/web/openapi";
import { z } from "npm:zod@^4";
import { handleAPI } from "./api.ts";
import { Articles } from "./articles.ts";
import { currentUser, Tokens, viewer } from "./auth.ts";
import { Database } from "./database.ts";
import { writeError } from "./errors.ts";
import { FrontController } from "./front.ts";
import { Users } from "./users.ts";

/** The environment variables. */
const variables = z.object({
  DATABASE: z.string().default("conduit.db"),
  JWT_SECRET: z.string().min(32).default(() => crypto.randomUUID()),
  PORT: z.int().min(0).max(65535).default(8080),
});

/** The application's settings. */
export interface Settings {
  /** The path of the SQLite file, or `:memory:`. */
  Database: string;
  /** The key that signs tokens. All processes of a site must share it. */
  Secret: string;
}

/** Creates the application. */
export function newApp(settings: Settings = { Database: ":memory:", Secret: crypto.randomUUID() }): fw.Application {
  const app = fw.Default();
  app.RegisterView(fw.HTML(new URL("./views", import.meta.url), ".html").Layout("layout"));
  app.HandleDir("/static", new URL("./public", import.meta.url));
  app.OnAnyErrorCode((ctx) => {
    const status = ctx.GetStatusCode();
    return ctx.View("error", { status, text: status === 404 ? "There is no such page." : "Something went wrong." });
  });

  const site = mvc.New(app);
  // Initialization functions, which run once. fw constructs their dependencies first and closes the database at
  // shutdown.
  site.Register(
    () => new Database(settings.Database),
    new Tokens(settings.Secret),
    Users,
    Articles,
    viewer,
    currentUser,
  );
  site.Handle(FrontController);

  const api = app.Party("/api");
  api.UseRouter(cors.New());
  api.OnAnyErrorCode((ctx) => {
    const what = ctx.GetStatusCode() === 404 ? "route" : "server";
    ctx.JSON({ errors: { [what]: [what === "route" ? "not found" : "failed"] } });
  });
  const routes = site.Party("/api");
  routes.HandleError(writeError);
  handleAPI(routes);
  openapi.New({ Title: "Conduit", Version: "1.0.0", Description: "The RealWorld API" }).Serve(app);
  return app;
}

if (import.meta.main) {
  const env = fw.Env(variables);
  await newApp({ Database: env.DATABASE, Secret: env.JWT_SECRET }).Run(fw.Addr(`:${env.PORT}`));
}
