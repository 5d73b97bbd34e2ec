// Helpers for tests that serve a controller and read its responses.

import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";

/** The parts of a response that tests compare. */
export interface Read {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Creates an application that does not log anything. */
export function quietApp(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  return app;
}

/** Sends a request to an application in process and reads the response. */
export async function ask(app: fw.Application, path: string, method = "GET"): Promise<Read> {
  return await read(await app.fetch(new Request(`http://localhost${path}`, { method })));
}

/** Reads a response. */
export async function read(response: Response): Promise<Read> {
  return { status: response.status, type: response.headers.get("content-type") ?? "", body: await response.text() };
}

/** Returns the response for a controller method that returns the value of `make`. */
export async function responseTo(make: (ctx: fw.Context) => unknown, method = "GET"): Promise<Read> {
  class Returning {
    Ctx!: fw.Context;
    Any(): unknown {
      return make(this.Ctx);
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Returning);
  return await ask(app, "/", method);
}
