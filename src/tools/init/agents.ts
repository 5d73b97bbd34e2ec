/**
 * Generates the instructions for coding agents that work on a new application.
 *
 * @module
 */

/** Generates `AGENTS.md`. It has at most 60 lines, so that agents can read it with every task. */
export function agentsFile(name: string, hasAccounts: boolean): string {
  const accounts = hasAccounts
    ? "- `accounts/`: sign-up, login and settings, described by `deno doc jsr:@fw/book/accounts`.\n"
    : "";
  return `# Instructions for agents: ${name}

A web application for Deno with fw (\`@fw/web\`). A change is complete when \`deno task test\` and \`deno task check\` pass.

\`\`\`sh
deno task dev      # start the development server on http://localhost:8080
deno task test     # run the tests; they need no port
deno task check    # check the format, the lint rules and the types
deno fmt           # format the code
deno run -A jsr:@fw/web/routes main.ts GET /path   # show which route serves a request
\`\`\`

## Where things are

- \`main.ts\`: \`newApp()\` registers all routes. It must not listen, because the tests call it.
- \`main_test.ts\`: tests with \`@fw/web/httptest\`. Write a test for each route.
- \`FEATURE/controller.ts\` and \`FEATURE/service.ts\`: a controller and its service, in one folder per feature.
- \`views/\`: templates, rendered with \`ctx.View("name", data)\`. \`public/\`: static files, served under \`/static\`.
${accounts}- \`settings\` in \`main.ts\`: the environment variables, read by \`fw.Env\`. Add new names to \`--allow-env\`, too.
- \`deno.json\`: tasks, imports and the permissions of \`deno task start\`. New permissions belong there.

## Conventions

- Public names are PascalCase. Import namespaces: \`import * as fw from "@fw/web"\`, \`import * as mvc from "@fw/web/mvc"\`.
- Path parameters: \`{name}\`, \`{id:int}\`, \`{rest:path}\`. Read them with \`ctx.Params().Get("name")\`.
- Input: \`const [value, error] = await ctx.ReadJSON(schema)\`, then \`if (error !== null) throw error\`.
- Middleware: \`app.Use((ctx) => ctx.Next())\`. Register it before the routes that need it.
- Errors for clients: \`throw new fw.HTTPError(404, "No such note")\`. Other errors become a bare 500 and are logged.
- Controllers: method names are routes (\`GetBy(id = 0)\` is \`GET /{id:int}\`), default values are types, and return values
  are responses. \`mvc.Inject(Service)\` is allowed in fields, constructors and default arguments only.

## Common mistakes

- \`/users/:id\` is not a parameter. Write \`/users/{id}\`.
- A handler must not return data. Call \`ctx.JSON(data)\`, or return a \`Response\`. Only controllers return data.
- Methods that read the body return promises: \`await ctx.PostValue("name")\`.
- Always check the second value of a result before you use the first one.
- Routes cannot be added after the first request or after \`app.Run\`.
- Controller parameters need default values, and a parameter that receives the context must be named \`ctx\`.
- Relative paths start at the current folder. Write \`new URL("./views", import.meta.url)\`.

## Documentation

- \`deno run jsr:@fw/web/explain CODE\` prints the cause, the remedy and an example for an error code such as \`FW_ROUTE\`.
- \`llms.txt\` in the package \`@fw/book\` lists all pages of the book, entry points and error codes.
- \`deno doc jsr:@fw/web/mvc\` shows the documentation of an entry point.
- \`deno doc jsr:@fw/book/routing\` shows a page of the book. https://jsr.io/@fw/book/doc lists all pages.
`;
}
