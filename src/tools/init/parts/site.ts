/**
 * The HTML pages and static files of a new application.
 *
 * @module
 */

import type { Part } from "./part.ts";

/** A page with a form, a layout and a style sheet. */
export const site: Part = {
  about: "`GET /` renders a template from `views/`, `/static` serves the folder `public/`",
  tryIt: "curl localhost:8080/?name=Ada   # or open it in a browser",
  packages: {},
  imports: [],
  declarations: "",
  routes: `app.RegisterView(fw.HTML(new URL("./views", import.meta.url), ".html").Layout("layout"));
app.HandleDir("/static", new URL("./public", import.meta.url)).SetName("static");
app.Get("/", (ctx) => ctx.View("index", { name: ctx.URLParam("name") }));`,
  tests: `Deno.test("GET / greets by name and escapes it", async () => {
  const client = httptest.New(quietApp());
  await client.GET("/").Expect().Status(200).Contains("Welcome");
  await client.GET("/?name=<Ada>").Expect().Contains("Hello, &lt;Ada&gt;");
});

Deno.test("GET /static serves the style sheet", async () => {
  await httptest.New(quietApp()).GET("/static/style.css").Expect().Status(200).ContentType("text/css");
});`,
  permissions: ["--allow-read=views,public"],
  includes: ["views", "public"],
  files: {
    "views/layout.html": `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Welcome</title>
    <link rel="stylesheet" href="<%= urlpath('static') %>/style.css">
  </head>
  <body>
    <main>
      <%~ body %>
    </main>
  </body>
</html>
`,
    "views/index.html": `<h1><%= it.name ? "Hello, " + it.name : "Welcome" %></h1>
<form>
  <label>Your name <input name="name" autocomplete="name" required></label>
  <button>Say hello</button>
</form>
`,
    "public/style.css": `:root {
  color-scheme: light dark;
}

body {
  margin: 0;
  font: 1.1rem/1.6 system-ui, sans-serif;
  background: light-dark(#fafaf9, #16181b);
  color: light-dark(#1f2328, #e6e6e3);
}

main {
  max-width: 36rem;
  margin: 10vh auto;
  padding: 0 1rem;
}

form {
  display: flex;
  flex-wrap: wrap;
  gap: 0.6rem;
  align-items: end;
}

label {
  flex: 1 1 12rem;
}

input {
  display: block;
  width: 100%;
  box-sizing: border-box;
}

input,
button {
  font: inherit;
  padding: 0.3rem 0.7rem;
}
`,
  },
};
