/**
 * Dependencies: shared by all requests or created for each, in controllers and in plain handlers, checked at the start.
 *
 * Run it with `deno task example dependencies`, then ask `curl localhost:8080/notes -d text=tea`,
 * `curl localhost:8080/notes` and `curl -H "x-user: ada" localhost:8080/me`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";

/** Shared by all requests; fw constructs it once, with what it asks for. */
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

/** A dependency may be anything; the function that provides it is its token. */
export function clock(): () => string {
  return () => new Date().toISOString().slice(0, 10);
}

/** Created for each request, since it asks for its context; what asks for it is reached by known users only. */
function user(ctx: fw.Context): string {
  const name = ctx.GetHeader("x-user");
  if (name === "") throw new fw.HTTPError(401, "Say who you are with the header x-user");
  return name;
}

class NotesController {
  readonly #notes = mvc.Inject(Notes);

  /** GET /notes */
  Get(): string[] {
    return this.#notes.all();
  }

  /** POST /notes */
  async Post(ctx: fw.Context): Promise<number> {
    this.#notes.add(await ctx.PostValue("text"));
    return 201;
  }
}

/** Creates the application; a test may bring a clock of its own. */
export function newApp(time: () => string = clock()): fw.Application {
  const app = fw.Default();
  const api = app.ConfigureContainer();
  api.Register(mvc.Provide(clock, () => time), Notes, user);
  api.Get("/me", (_ctx, name = mvc.Inject(user)) => ({ name }));
  mvc.New(app.Party("/notes")).Handle(NotesController);
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
