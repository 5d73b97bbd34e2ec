/**
 * A controller: its methods' names are its routes, what they return is the response.
 *
 * Run it with `deno task example mvc/hello`, then ask `curl localhost:8080/hello`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";

class HelloController {
  /** GET / */
  Get(): mvc.Dispatcher {
    return new mvc.Response({ ContentType: "text/html", Text: "<h1>Welcome</h1>" });
  }

  /** GET /ping */
  GetPing(): string {
    return "pong";
  }

  /** GET /hello */
  GetHello(): fw.Map {
    return { message: "Hello from fw" };
  }

  /** GET /welcome/{name:string}/{times:int} */
  GetWelcomeBy(name: string, times = 1): string {
    return `Welcome, ${name}! `.repeat(Math.min(Math.max(times, 0), 10)).trimEnd();
  }

  /** Runs once, before the server does: the place for routes that no method name can spell. */
  BeforeActivation(b: mvc.BeforeActivation): void {
    b.Handle("GET", "/custom_path", "CustomHandler", logPath);
  }

  /** GET /custom_path */
  CustomHandler(): string {
    return "Hello from the custom handler";
  }
}

function logPath(ctx: fw.Context): Promise<void> | undefined {
  ctx.Application().Logger().Infof("A client asked for %s", ctx.Path());
  return ctx.Next();
}

/** Makes the application; the tests serve it without a port. */
export function newApp(): fw.Application {
  const app = fw.Default();
  mvc.New(app).Handle(HelloController);
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
