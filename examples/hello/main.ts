/**
 * A minimal application with an HTML page, a plain text response and a JSON response.
 *
 * Run it with `deno task start`, then try `curl localhost:8080/ping`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Welcome to fw</title>
    <style>
      :root { color-scheme: light dark; --soft: light-dark(#5c636b, #a2a9b1); --line: light-dark(#e2e2df, #33373d);
        --accent: light-dark(#0b6b5b, #5ccdb8); }
      body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1.05rem/1.6 system-ui, sans-serif;
        background: light-dark(#fafaf9, #16181b); color: light-dark(#1f2328, #e6e6e3); }
      main { width: min(34rem, 100vw - 2rem); padding: 2rem 0; }
      h1 { font-size: clamp(2.2rem, 9vw, 3.2rem); line-height: 1.1; margin: 0 0 .5rem; letter-spacing: -.02em; }
      h1 span { color: var(--accent); }
      p { color: var(--soft); margin: 0 0 1.5rem; }
      nav { display: grid; gap: .6rem; }
      nav a { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; padding: .8rem 1rem;
        border: 1px solid var(--line); border-radius: .6rem; background: light-dark(#fff, #1d2024);
        color: inherit; text-decoration: none; }
      nav a:hover, nav a:focus-visible { border-color: var(--accent); }
      nav small { color: var(--soft); font-size: .95rem; }
      code { font: .95rem/1.6 ui-monospace, monospace; color: var(--accent); }
      footer { margin-top: 1.5rem; color: var(--soft); font-size: .9rem; }
    </style>
  </head>
  <body>
    <main>
      <h1>fw <span>is running</span></h1>
      <p>This page comes from <code>examples/hello/main.ts</code>. Change it under <code>deno task dev</code>.</p>
      <nav>
        <a href="/ping"><code>/ping</code> <small>a text</small></a>
        <a href="/hello"><code>/hello</code> <small>an object as JSON</small></a>
        <a href="/hello/Ada"><code>/hello/Ada</code> <small>a parameter of the path</small></a>
        <a href="/nowhere"><code>/nowhere</code> <small>no route: 404</small></a>
      </nav>
      <footer><code>deno task example</code> lists all examples; the book is in <code>examples/book</code>.</footer>
    </main>
  </body>
</html>
`;

/** Creates the application. The tests use it without a port. */
export function newApp(): fw.Application {
  const app = fw.Default();

  app.Handle("GET", "/", (ctx) => ctx.HTML(page));
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/hello/{name}", (ctx) => ctx.JSON({ message: `Hello ${ctx.Params().Get("name")}` }));
  app.Get("/hello", (ctx) => ctx.JSON({ message: "Hello from fw" }));

  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
