/**
 * The pages of the error codes for controllers, dependencies, clients and templates.
 *
 * @module
 */

import type { PageSources } from "./page.ts";

/** Controllers, their dependencies, typed clients and views. */
export const controllerPages: PageSources = {
  FW_CONTROLLER: {
    cause:
      "A class cannot be turned into routes. Either no method name starts with a verb followed by a capital letter, " +
      "a parameter cannot be bound, two methods have the same route, or the constructor throws when it is probed.",
    remedy:
      "Name methods after their routes: `Get`, `GetBy(id = 0)`, `PostLogin`. Give every parameter a default value, " +
      "and keep side effects out of the constructor.",
    wrong: `class TeaController {
  list() {
    return ["Sencha"];
  }
}
const app = fw.New();
mvc.New(app.Party("/teas")).Handle(TeaController);`,
    right: [["list()", "Get()"]],
    chapter: "Controllers",
  },
  FW_IMPORT: {
    cause:
      "A controller serves WebSocket connections, but the program does not import `@fw/web/websocket`. `@fw/web` " +
      "does not load the WebSocket server, so that programs without WebSockets start quickly. An import that is used " +
      "only for types does not load the module.",
    remedy:
      'Import the entry point named in the error message: `import "jsr:@fw/web/websocket";`. A program that creates ' +
      "a server with `websocket.New` already imports it.",
    wrong: `class ChatController {
  OnSay(text = "") {
    return text;
  }
}
const app = fw.New();
mvc.New(app.Party("/chat")).HandleWebsocket(ChatController);`,
    right: [[".HandleWebsocket", ".Register(websocket.New()).HandleWebsocket"]],
    chapter: "Live",
  },
  FW_DEPENDENCY: {
    cause:
      "An injected class or token is not registered, depends on itself, has a shorter lifetime than the singleton " +
      "that depends on it, or is requested outside a field, constructor or default argument.",
    remedy: "Register the dependency on the MVC application or one of its parents before calling `Handle`. Use " +
      "`mvc.Inject` only in fields, constructors and default arguments.",
    wrong: `class Teas {
  names = ["Sencha"];
}
const token = mvc.Token<Teas>("teas");
class TeaController {
  #teas = mvc.Inject(token);
  Get() {
    return this.#teas.names;
  }
}
const app = fw.New();
mvc.New(app).Handle(TeaController);
await app.Build();`,
    right: [[
      "mvc.New(app).Handle",
      `const teas = mvc.New(app);
teas.Register(mvc.Provide(token, new Teas()));
teas.Handle`,
    ]],
    chapter: "Dependencies",
  },
  FW_CLIENT: {
    cause:
      "A typed client could not send a request or read the response. Either a path argument is missing or empty, a " +
      "form field is an object, or the response is not valid JSON. Error responses have a `Status` instead of a code.",
    remedy: "Pass the arguments that the controller method declares. Calls do not throw, so check the returned error.",
    wrong: `class TeaController {
  GetBy(name = "") {
    return { name };
  }
}
const app = fw.New();
mvc.New(app.Party("/teas")).Handle(TeaController);
const teas = client.New<TeaController>("http://localhost/teas", { Fetch: app.fetch });
const [, error] = await teas.GetBy(""); // a path segment cannot be empty
if (error !== null) throw error;`,
    right: [['GetBy(""); // a path segment cannot be empty', 'GetBy("sencha");']],
    chapter: "Contracts",
  },
  FW_VIEW: {
    cause:
      "A template does not exist, has a syntax error or uses an undefined variable, or the template folder is empty. " +
      "The message contains the file name and line number.",
    remedy:
      "Register the engine with the folder and file extension of your templates, and use template names relative to " +
      'that folder. Use `new URL("./views", import.meta.url)`, because relative paths are resolved against the ' +
      "current working directory.",
    wrong: `const app = fw.New();
app.RegisterView(fw.HTML("./no-such-folder", ".html"));
app.Get("/", (ctx) => ctx.View("index"));
await app.Build();`,
    right: `const folder = await Deno.makeTempDir();
await Deno.writeTextFile(\`\${folder}/index.html\`, "<h1>Tea</h1>");
const app = fw.New();
app.RegisterView(fw.HTML(folder, ".html"));
app.Get("/", (ctx) => ctx.View("index"));
await app.Build();
await Deno.remove(folder, { recursive: true });`,
    chapter: "Views",
  },
};
