import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as jobs from "@fw/web/jobs";
import * as page from "@fw/web/jobs/page";
import * as mail from "@fw/web/mail";
import * as mcp from "@fw/web/mcp";
import * as compress from "@fw/web/middleware/compress";
import * as csrf from "@fw/web/middleware/csrf";
import * as health from "@fw/web/middleware/health";
import * as metrics from "@fw/web/middleware/metrics";
import * as monitor from "@fw/web/middleware/monitor";
import * as requestid from "@fw/web/middleware/requestid";
import * as secure from "@fw/web/middleware/secure";
import * as mvc from "@fw/web/mvc";
import * as openapi from "@fw/web/openapi";
import * as sessions from "@fw/web/sessions";
import * as versioning from "@fw/web/versioning";
import * as websocket from "@fw/web/websocket";
import * as socketio from "@fw/web/websocket/socketio";
import { assertEquals, assertThrows } from "@std/assert";
import { walk } from "@std/fs";
import { quiet } from "../../serving.ts";

class Teas {
  Get(): string {
    return "Assam";
  }
}

/** The features of fw as users attach them, by the names of their extensions. Some return the party that has them. */
const features: Readonly<Record<string, (app: fw.Application) => unknown>> = {
  "apps": (app) => apps.Switch([{ Pattern: "tea.example", Target: app }]),
  "compress": (app) => app.UseRouter(compress.New()),
  "csrf": (app) => app.Use(csrf.New()),
  "dependencies": (app) => mvc.New(app).Register(new Date()),
  "health": (app) => health.New().Register(app),
  "i18n": (app) => app.I18n.LoadKV({ en: { hi: "Hello" } }).LoadKV({ en: { bye: "Bye" } }),
  "jobs": (app) => jobs.New(jobs.NewMemory()).RunWith(app),
  "jobs page": (app) => page.New(jobs.New(jobs.NewMemory())).Register(app),
  "mail": (app) => mail.New({ Transport: mail.NewMemory(), From: "fw@example.com", App: app }),
  "mailbox": (app) => mail.NewMemory().Register(app),
  "mcp": (app) => {
    if (!app.Extensions().some(({ Name }) => Name === "mvc")) mvc.New(app.Party("/teas")).Handle(Teas);
    mcp.New(app, { Name: "teas", Path: `/mcp${app.Extensions().length}`, Controllers: [Teas] });
  },
  "metrics": (app) => app.UseRouter(metrics.New().Handler()),
  "monitor": (app) => app.UseRouter(monitor.New().Handler()),
  "mvc": (app) => mvc.New(app).Register(new Date()),
  "openapi": (app) => openapi.New({ Title: "Teas", Version: "1.0.0" }).Serve(app, `/api${app.Routes().length}`),
  "requestid": (app) => app.UseRouter(requestid.New()),
  "secure": (app) => app.UseRouter(secure.New({ Nonce: true })),
  "sessions": (app) => app.Use(sessions.New().Handler()),
  "socketio": (app) => app.Any("/socket.io", socketio.Handler(websocket.New())),
  "static": (app) => app.HandleDir("/files", new URL(".", import.meta.url)),
  "versioning": (app) => versioning.NewGroup(app, "1.x"),
  "views": (app) => app.RegisterView(fw.HTML("").ParseTemplate("a.html", "a")),
  "websocket": (app) => app.Get("/ws", websocket.Handler(websocket.New())),
};

Deno.test("every extension of fw is in the table of features", async () => {
  const missing = new Set<string>();
  for (const folder of ["src", "mvc"]) {
    for await (const { path } of walk(new URL(`../../../${folder}`, import.meta.url), { exts: [".ts"] })) {
      const code = (await Deno.readTextFile(path)).replaceAll(/^ *(?:\*|\/).*$/gm, "");
      for (const [, name = ""] of code.matchAll(/\bName: "([^"]+)",[^{}]{0,80}\bInstall\b/g)) missing.add(name);
    }
  }
  assertEquals(missing.size > 15, true);
  assertEquals([...missing.difference(new Set(Object.keys(features)))], []);
});

for (const [name, attach] of Object.entries(features)) {
  Deno.test(`the feature "${name}" is an extension`, async () => {
    const app = quiet();
    const attached = attach(app);
    const party = attached instanceof fw.Party ? attached : app;
    const outer = attached instanceof fw.Application ? attached : app;
    const names = new Set(outer.Extensions().map((each) => each.Name));
    assertEquals(names.has(name), true, `only ${[...names].join(", ")}`);
    party.Install({ Name: "dependent", Needs: [name], Install() {} });
    await outer.Build();
    await outer.Shutdown();
  });
}

Deno.test("features that can be used several times are", async () => {
  const app = quiet();
  const twice = Object.keys(features).filter((name) =>
    !["dependencies", "i18n", "health", "jobs page", "mailbox", "static"].includes(name)
  );
  for (const name of twice) features[name]?.(name === "websocket" ? app.Party("/other") as fw.Application : app);
  for (const name of twice) features[name]?.(app);
  await app.Build();
  await app.Shutdown();
});

Deno.test("fw.Compression carries the extension of compress", () => {
  const app = quiet();
  app.Use(fw.Compression);
  assertEquals(app.Extensions().map(({ Name }) => Name), ["compress"]);
});

Deno.test("pages of features are not a part of the API, and their extension has the path of its party", () => {
  const app = quiet();
  monitor.New().Register(app.Party("/monitor"));
  mail.NewMemory().Register(app.Party("/mails"));
  page.New(jobs.New(jobs.NewMemory())).Register(app.Party("/jobs"));
  assertEquals(app.Routes().map(({ Description }) => Description?.Hidden), [true, true, true, true, true]);
  const places = app.Extensions().map(({ Name, Prefix }) => `${Name} ${Prefix}`);
  assertEquals(places, ["monitor /monitor", "mailbox /mails", "jobs page /jobs", "csrf /jobs"]);
});

Deno.test("an extension that needs a feature names it if it is missing", () => {
  const app = quiet();
  const install = () => app.Install({ Name: "flash", Needs: ["sessions"], Install() {} });
  assertThrows(
    install,
    fw.FrameworkError,
    'Cannot install "flash": it needs "sessions", which is not installed before it',
  );
  app.Use(sessions.New().Handler());
  install();
});

Deno.test("a mailer can be created for an application that has been built", async () => {
  const app = quiet();
  await app.Build();
  mail.New({ Transport: mail.NewMemory(), From: "fw@example.com", App: app });
});
