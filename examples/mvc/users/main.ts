/**
 * Users: a controller, the service behind it, the repository behind that, and one handler for all errors.
 *
 * Run it with `deno task example mvc/users`, then
 * `curl localhost:8080/users --json '{"name": "Ada", "mail": "ada@example.com"}'`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";
import { UserController } from "./controller.ts";
import { userInput } from "./input.ts";
import { MemoryUserRepository, UserRepository } from "./repository.ts";
import { UserService } from "./service.ts";

/** Makes the application; the tests serve it without a port, and may bring another repository. */
export function newApp(repository: UserRepository = new MemoryUserRepository()): fw.Application {
  const app = fw.Default();
  mvc.Configure(app.Party("/users"), (m) => {
    m.Register(mvc.Provide(UserRepository, repository), UserService, userInput);
    m.HandleError(respondProblem);
    m.Handle(UserController);
  });
  return app;
}

/** Responds with whatever controllers throw or return as an error; only errors meant for the client say what it was. */
function respondProblem(ctx: fw.Context, error: Error): void {
  const isPublic = error instanceof fw.HTTPError;
  if (!isPublic) ctx.Application().Logger().Error(error);
  ctx.StopWithJSON(ctx.GetStatusCode(), { error: isPublic ? error.message : "Something went wrong" });
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
