/**
 * One instance of a controller for all requests: its fields keep what they hold.
 *
 * Run it with `deno task example mvc/singleton`, then ask `curl localhost:8080/` twice.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";

class VisitController {
  #visits = 0;

  /** GET / */
  Get(ctx: fw.Context): string {
    this.#visits++;
    return `${this.#visits} visits, the last from ${ctx.RemoteAddr()}`;
  }

  /** DELETE / */
  Delete(): number {
    this.#visits = 0;
    return 204;
  }
}

/** Makes the application; the tests serve it without a port. */
export function newApp(): fw.Application {
  const app = fw.Default();
  mvc.New(app).Handle(new VisitController());
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
