/**
 * The pages of the error codes for routes and responses.
 *
 * @module
 */

import type { PageSources } from "./page.ts";

/** Routes, their templates, and the parts of a response. */
export const routingPages: PageSources = {
  FW_TEMPLATE: {
    cause: "A path template has an unknown parameter type or function, an unmatched brace, or characters after a " +
      "catch-all parameter. The message names the column. Types from other frameworks, such as `integer`, are " +
      "not recognized.",
    remedy: "Write `{name}` for a segment, `{id:int}` for a typed segment and `{rest:path}` at the end for a " +
      "catch-all. The book lists the types, and `app.Macros()` registers custom ones.",
    wrong: `const app = fw.New();
app.Get("/teas/{id:integer}", (ctx) => ctx.JSON({ id: ctx.Params().GetIntDefault("id", 0) }));`,
    right: [["{id:integer}", "{id:int}"]],
    chapter: "Routing",
  },
  FW_MACRO: {
    cause: "The name of a custom parameter type or function is already taken or contains characters that are not " +
      "allowed in a template, or its test is not a function.",
    remedy:
      "Choose an unused name that consists of letters, digits and underscores. Register types before the routes " +
      "that use them.",
    wrong: `const app = fw.New();
app.Macros().Register({ Name: "tea-name", Test: (text, start, end) => text.slice(start, end).endsWith("tea") });`,
    right: `const app = fw.New();
app.Macros().Register({ Name: "tea_name", Test: (text, start, end) => text.slice(start, end).endsWith("tea") });
app.Get("/teas/{name:tea_name}", (ctx) => ctx.WriteString(ctx.Params().Get("name")));`,
    chapter: "Routing",
  },
  FW_ROUTE: {
    cause: "A route has no handler, a handler that is not a function, an invalid method, or the same name as another " +
      "route. A common mistake is to call the handler instead of passing it.",
    remedy: "Pass functions, as in `app.Get(path, show)`. Names set with `SetName` must be unique. `deno run -A " +
      "jsr:@fw/web/routes main.ts` lists the routes.",
    wrong: `function showTeas(ctx?: fw.Context): void {
  ctx?.JSON(["Sencha"]);
}

const app = fw.New();
app.Get("/teas", showTeas() as never); // calls the handler`,
    right: `function showTeas(ctx: fw.Context): void {
  ctx.JSON(["Sencha"]);
}

const app = fw.New();
app.Get("/teas", showTeas);`,
    chapter: "Routing",
  },
  FW_STATE: {
    cause: "A function was called at the wrong time: a route was added after the application was built, a body was " +
      "read after it was streamed, a file was read after its request ended, or a `Response` was sent twice.",
    remedy:
      "Register everything before `app.Run`, `app.Build` and the first request. Read a request's body and files " +
      "while the request is being handled, and create a new `Response` for each request.",
    wrong: `const app = fw.New();
await app.Build();
app.Get("/teas", (ctx) => ctx.JSON(["Sencha"]));`,
    right: `const app = fw.New();
app.Get("/teas", (ctx) => ctx.JSON(["Sencha"]));
await app.Build();`,
    chapter: "Routing",
  },
  FW_HEADER: {
    cause: "A header name is not a token, or a header value contains a line break, a control character or a " +
      "character outside Latin-1. Such values often come from user input.",
    remedy: "Encode the value, for example with `encodeURIComponent`, or remove the line breaks.",
    wrong: `const app = fw.New();
app.Get("/", (ctx) => ctx.Header("x-title", "Green\\ntea"));
await app.fetch(new Request("http://localhost/"));`,
    right: [['"Green\\ntea"', 'encodeURIComponent("Green\\ntea")']],
    chapter: "Responses",
  },
  FW_COOKIE: {
    cause: "A cookie name is empty or not a token, or one of the cookie's attributes is invalid. Examples are a " +
      "`__Host-` cookie with a domain, or an expiration that is not a valid date.",
    remedy: "Use letters, digits, hyphens and underscores in the name. Any string is a valid value, because fw " +
      "encodes it.",
    wrong: `const app = fw.New();
app.Get("/", (ctx) => ctx.SetCookie("favorite tea", "Sencha"));
await app.fetch(new Request("http://localhost/"));`,
    right: [["favorite tea", "favorite_tea"]],
    chapter: "Responses",
  },
  FW_STATUS: {
    cause: "A status code is not an integer or is out of range. The range is 200 to 599 for responses, and 400 to " +
      "599 for `fw.HTTPError`, `fw.NewProblem` and error pages.",
    remedy: "Throw an `fw.HTTPError` only for errors. Use `ctx.StatusCode` for any other status.",
    wrong: `const app = fw.New();
app.Post("/teas", () => {
  throw new fw.HTTPError(201, "Created");
});
await app.fetch(new Request("http://localhost/teas", { method: "POST" }));`,
    right: `const app = fw.New();
app.Post("/teas", (ctx) => {
  ctx.StatusCode(201);
  ctx.WriteString("Created");
});
await app.fetch(new Request("http://localhost/teas", { method: "POST" }));`,
    chapter: "Errors",
  },
  FW_RETURN: {
    cause: "A handler returned a value that is not a `Response`, or a controller method returned a value that cannot " +
      "be sent, such as a function or an object that cannot be serialized. Handlers written for other " +
      "frameworks often return their data.",
    remedy: "In handlers, call `ctx.JSON`, `ctx.WriteString` or another context method, or return a `Response`. " +
      "Controller methods can return data.",
    wrong: `const app = fw.New();
app.Get("/teas", (() => ["Sencha"]) as never);
await app.fetch(new Request("http://localhost/teas"));`,
    right: [['(() => ["Sencha"]) as never', '(ctx) => ctx.JSON(["Sencha"])']],
    chapter: "Responses",
  },
};
