/**
 * Dependency injection in controllers and plain handlers, with singletons and per-request dependencies.
 *
 * Run it with `deno task example dependencies`, then try `curl localhost:8080/notes -d text=tea`, `curl
 * localhost:8080/notes` and `curl -H "x-user: ada" localhost:8080/me`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";

/** A singleton. fw constructs it once and injects its dependencies. */
class Notes {
  readonly #clock = mvc.Inject(clock);
  readonly #texts: string[] = [];

  all(): string[] {
    return this.#texts;
  }

  add(text: string): void {
    this.#texts.push(`${this.#clock()} ${text}`);
  }
}

/** Provides the current time. Any value can be a dependency. The function that provides the value is its token. */
export function clock(): () => string {
  return () => new Date().toISOString().slice(0, 10);
}

/**
 * Provides the user of a request. Because it takes the Context, it is created per request. Handlers that inject it run
 * only for known users.
 */
function user(ctx: fw.Context): string {
  const name = ctx.GetHeader("x-user");
  if (name === "") throw new fw.HTTPError(401, "Say who you are with the header x-user");
  return name;
}

class NotesController {
  readonly #notes = mvc.Inject(Notes);

  /** Lists all notes (GET /notes). */
  Get(): string[] {
    return this.#notes.all();
  }

  /** Adds a note (POST /notes). */
  async Post(ctx: fw.Context): Promise<number> {
    this.#notes.add(await ctx.PostValue("text"));
    return 201;
  }
}

/** Creates the application. Tests can pass their own clock. */
export function newApp(time: () => string = clock()): fw.Application {
  const app = fw.Default();
  const api = app.ConfigureContainer();
  api.Register(mvc.Provide(clock, () => time), Notes, user);
  api.Get("/me", (_ctx, name = mvc.Inject(user)) => ({ name }));
  mvc.New(app.Party("/notes")).Handle(NotesController);
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
