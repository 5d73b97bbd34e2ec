/**
 * The smallest useful application: a page, a text and an object.
 *
 * Run it with `deno task start`, then ask `curl localhost:8080/ping`.
 */

import * as fw from "jsr:@fw/web";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Welcome to fw</title>
    <style>
      :root { color-scheme: light dark; }
      body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1rem;
        font: 1.1rem/1.6 system-ui, sans-serif;
        background: light-dark(#fafaf9, #16181b); color: light-dark(#1f2328, #e6e6e3); }
      h1 { font-size: 2.4rem; margin: 0; }
      a { color: light-dark(#0b6b5b, #5ccdb8); }
      li { margin: .3rem 0; }
      p, li { color: light-dark(#5c636b, #a2a9b1); }
    </style>
  </head>
  <body>
    <main>
      <h1>Welcome</h1>
      <p>fw is running. Try it:</p>
      <ul>
        <li><a href="/ping">/ping</a> is a text</li>
        <li><a href="/hello">/hello</a> is an object</li>
        <li><a href="/hello/Ada">/hello/Ada</a> takes a parameter</li>
      </ul>
    </main>
  </body>
</html>
`;

/** Creates the application; the tests serve it without a port. */
export function newApp(): fw.Application {
  const app = fw.Default();

  app.Handle("GET", "/", (ctx) => ctx.HTML(page));
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/hello/{name}", (ctx) => ctx.JSON({ message: `Hello ${ctx.Params().Get("name")}` }));
  app.Get("/hello", (ctx) => ctx.JSON({ message: "Hello from fw" }));

  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
