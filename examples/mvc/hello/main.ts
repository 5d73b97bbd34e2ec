/**
 * A controller whose method names are its routes and whose return values are the responses.
 *
 * Run it with `deno task example mvc/hello`, then try `curl localhost:8080/hello`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";

class HelloController {
  /** Responds to GET /. */
  Get(): mvc.Dispatcher {
    return new mvc.Response({ ContentType: "text/html", Text: "<h1>Welcome</h1>" });
  }

  /** Responds to GET /ping. */
  GetPing(): string {
    return "pong";
  }

  /** Responds to GET /hello. */
  GetHello(): fw.Map {
    return { message: "Hello from fw" };
  }

  /** Responds to GET /welcome/{name:string}/{times:int}. */
  GetWelcomeBy(name: string, times = 1): string {
    return `Welcome, ${name}! `.repeat(Math.min(Math.max(times, 0), 10)).trimEnd();
  }

  /** Runs once before the server starts. Registers routes that method names cannot express. */
  BeforeActivation(b: mvc.BeforeActivation): void {
    b.Handle("GET", "/custom_path", "CustomHandler", logPath);
  }

  /** Responds to GET /custom_path. */
  CustomHandler(): string {
    return "Hello from the custom handler";
  }
}

function logPath(ctx: fw.Context): Promise<void> | undefined {
  ctx.Application().Logger().Infof("A client asked for %s", ctx.Path());
  return ctx.Next();
}

/** Creates the application. The tests use it without a port. */
export function newApp(): fw.Application {
  const app = fw.Default();
  mvc.New(app).Handle(HelloController);
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
