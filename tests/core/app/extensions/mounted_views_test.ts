/**
 * View functions of extensions in the templates of mounted applications.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as mail from "@fw/web/mail";
import * as handlebars from "@fw/web/view/handlebars";
import * as jsx from "@fw/web/view/jsx";
import { assertEquals, assertRejects } from "@std/assert";
import Handlebars from "npm:handlebars@^4.7";
import { quiet } from "../../../serving.ts";

/** Creates an application with a view function. */
function withPlan(value = "outer"): fw.Application {
  const app = quiet();
  install(app, value);
  return app;
}

function install(party: fw.Party, value: string): void {
  party.Install({
    Name: "plans",
    Install: (host) => host.ViewFunc("plan", (ctx: fw.Call, name = "") => `${value}${name} at ${ctx.Path()}`),
  });
}

/** Creates an application with a page that calls the view function. */
function withPage(engine: fw.Engine = fw.HTML("").ParseTemplate("page.html", "<%= plan('!') %>")): fw.Application {
  const app = quiet();
  app.RegisterView(engine);
  app.Get("/x", (ctx) => ctx.View("page"));
  return app;
}

async function textOf(app: fw.Application, path: string): Promise<string> {
  return await (await app.fetch(new Request(`http://localhost${path}`))).text();
}

const ways: Readonly<Record<string, (app: fw.Application, inner: fw.Application) => void>> = {
  "a mount": (app, inner) => app.Mount("/m", inner),
  "a mount of its fetch": (app, inner) => app.Mount("/m", inner.fetch),
  "a mount in a mount": (app, inner) => {
    const middle = quiet();
    middle.Mount("/", inner);
    app.Mount("/m", middle);
  },
  "a switch in a mount": (app, inner) => app.Mount("/m", apps.Switch([{ Pattern: "localhost", Target: inner }])),
};

for (const [name, add] of Object.entries(ways)) {
  Deno.test(`Host.ViewFunc() is available in the templates of ${name}`, async () => {
    const [app, inner] = [withPlan(), withPage()];
    add(app, inner);
    for (let i = 0; i < 2; i++) assertEquals(await textOf(app, "/m/x"), "outer! at /m/x");
  });
}

Deno.test("Host.ViewFunc() of a mounted application takes precedence over that of the outer one", async () => {
  const [app, inner] = [withPlan(), withPage()];
  install(inner, "inner");
  app.Mount("/m", inner);
  assertEquals(await textOf(app, "/m/x"), "inner! at /x");
});

Deno.test("Host.ViewFunc() does not replace the functions and pages that a mounted application has", async () => {
  const engines: fw.Engine[] = [
    fw.HTML("").ParseTemplate("page.html", "<%= plan() %>", { plan: () => "own" }),
    handlebars.New(Handlebars, "").ParseTemplate("page.html", "{{plan}}", { plan: () => "own" }),
    jsx.New({ Render: String }, { page: () => "own", plan: () => "own" }),
  ];
  for (const engine of engines) {
    const [app, inner] = [withPlan(), withPage(engine)];
    inner.Get("/plan", (ctx) => ctx.View("plan"));
    app.Mount("/m", inner);
    assertEquals((await textOf(app, "/m/x")).replace("<!DOCTYPE html>", ""), "own");
    if (engine === engines[2]) assertEquals((await textOf(app, "/m/plan")).replace("<!DOCTYPE html>", ""), "own");
  }
});

Deno.test("Host.ViewFunc() changes nothing in a mounted application whose engine is loaded or has no functions", async () => {
  const bare: fw.Engine = { Load() {}, Render: () => "bare" };
  const loaded = fw.HTML("").ParseTemplate("page.html", "loaded");
  await loaded.Load();
  for (const [engine, text] of [[bare, "bare"], [loaded, "loaded"]] as const) {
    const [app, inner] = [withPlan(), withPage(engine)];
    app.Mount("/m", inner);
    assertEquals(await textOf(app, "/m/x"), text);
  }
  const [app, inner] = [withPlan(), withPage(fw.HTML("").ParseTemplate("page.html", "built"))];
  await inner.Build();
  app.Mount("/m", inner);
  assertEquals(await textOf(app, "/m/x"), "built");
});

Deno.test("Host.ViewFunc() of a party is available below that party only", async () => {
  const [app, inner] = [quiet(), withPage()];
  const party = app.Party("/p");
  install(party, "party");
  party.Mount("/m", inner);
  app.Mount("/other", inner);
  assertEquals(await textOf(app, "/p/m/x"), "party! at /p/m/x");
  assertEquals(await textOf(app, "/other/x"), "Internal Server Error");
});

Deno.test("Host.ViewFunc() is available in the mails of a mounted application", async () => {
  const [app, inner] = [withPlan(), quiet()];
  const Views = fw.HTML("").ParseTemplate("hello.html", "<title>Hello</title><%= plan() %>");
  const box = mail.NewMemory();
  const mailer = mail.New({ Transport: box, From: "a@example.com", Views, App: inner });
  inner.Get("/", async () => void await mailer.Send({ To: "b@example.com", View: "hello" }));
  app.Mount("/m", inner);
  await textOf(app, "/m");
  assertEquals(box.Expect({ To: "b@example.com" }).Text, "outer at /m\n");
});

Deno.test("Host.ViewFunc() refuses the name of a function that the engine already has", async () => {
  const app = withPage(fw.HTML("").ParseTemplate("page.html", "<%= plan() %>", { plan: () => "own" }));
  install(app, "extension");
  await assertRejects(async () => await app.Build(), fw.FrameworkError, "the engine already has it");
});
