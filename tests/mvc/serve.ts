// What the tests of controllers share: short ways from a controller to its answers.

import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";

/** An answer, read. */
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

/** Asks an application in process and reads the answer. */
export async function ask(app: fw.Application, path: string, method = "GET"): Promise<Read> {
  return await read(await app.fetch(new Request(`http://localhost${path}`, { method })));
}

/** Reads an answer. */
export async function read(answer: Response): Promise<Read> {
  return { status: answer.status, type: answer.headers.get("content-type") ?? "", body: await answer.text() };
}

/** The answer to a request for a method that returns what `make` makes. */
export async function answerTo(make: (ctx: fw.Context) => unknown, method = "GET"): Promise<Read> {
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
