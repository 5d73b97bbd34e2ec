/**
 * A singleton controller. Its fields are shared by all requests.
 *
 * Run it with `deno task example mvc/singleton`, then run `curl localhost:8080/` twice.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";

class VisitController {
  #visits = 0;

  /** Responds to GET /. */
  Get(ctx: fw.Context): string {
    this.#visits++;
    return `${this.#visits} visits, the last from ${ctx.RemoteAddr()}`;
  }

  /** Responds to DELETE /. */
  Delete(): number {
    this.#visits = 0;
    return 204;
  }
}

/** Creates the application. The tests use it without a port. */
export function newApp(): fw.Application {
  const app = fw.Default();
  mvc.New(app).Handle(new VisitController());
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
