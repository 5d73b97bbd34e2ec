// What the tests of controllers share: short ways from a controller to its responses.

import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";

/** A response, read. */
export interface Read {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** An application that logs nothing. */
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

/** The response to a request for a method that returns what `make` returns. */
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
