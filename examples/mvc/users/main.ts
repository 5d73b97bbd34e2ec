/**
 * A user API with a controller, a service, a repository and a shared error handler.
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

/** Creates the application. The tests use it without a port, and can pass another repository. */
export function newApp(repository: UserRepository = new MemoryUserRepository()): fw.Application {
  const app = fw.Default();
  mvc.Configure(app.Party("/users"), (m) => {
    m.Register(mvc.Provide(UserRepository, repository), UserService, userInput);
    m.HandleError(respondProblem);
    m.Handle(UserController);
  });
  return app;
}

/** Responds to errors that controllers throw or return. Only the messages of errors meant for the client are sent. */
function respondProblem(ctx: fw.Context, error: Error): void {
  const isPublic = error instanceof fw.HTTPError;
  if (!isPublic) ctx.Application().Logger().Error(error);
  ctx.StopWithJSON(ctx.GetStatusCode(), { error: isPublic ? error.message : "Something went wrong" });
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
