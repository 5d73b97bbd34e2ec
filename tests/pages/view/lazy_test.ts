import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
// Do not import the view entry point, because it would load the parser.
import { HTML } from "../../../src/pages/engine/default/html.ts";
import { quiet } from "../../serving.ts";
import { withFolder } from "./folder.ts";

// The tests run in order. The first one loads the template parser for the rest of the process.
Deno.test("HTMLEngine.Render() loads the templates and their parser if they are not loaded yet", async () => {
  await withFolder({ "a.html": "<b><%= it.Name %></b>" }, async (folder) => {
    const engine = HTML(folder);
    const first = engine.Render("a", { Name: "Ann" });
    assertInstanceOf(first, Promise);
    assertEquals(await first, "<b>Ann</b>");
    assertEquals(engine.Render("a", { Name: "Bob" }), "<b>Bob</b>");
  });
});

Deno.test("Application.Build() loads views, so that an invalid one fails at start-up", async () => {
  await withFolder({ "a.html": "<%= it. %>" }, async (folder) => {
    const app = quiet();
    app.RegisterView(HTML(folder));
    await assertRejects(async () => await app.Build(), FrameworkError, "Cannot compile");
  });
});
