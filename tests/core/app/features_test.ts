import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as page from "@fw/web/jobs/page";
import * as mail from "@fw/web/mail";
import * as compress from "@fw/web/middleware/compress";
import * as csrf from "@fw/web/middleware/csrf";
import * as health from "@fw/web/middleware/health";
import * as metrics from "@fw/web/middleware/metrics";
import * as monitor from "@fw/web/middleware/monitor";
import * as requestid from "@fw/web/middleware/requestid";
import * as secure from "@fw/web/middleware/secure";
import * as sessions from "@fw/web/sessions";
import * as websocket from "@fw/web/websocket";
import { assertEquals, assertThrows } from "@std/assert";
import { quiet } from "../../serving.ts";

/** The features of fw as users attach them, by the names of their extensions. */
const features: Readonly<Record<string, (app: fw.Application) => unknown>> = {
  "compress": (app) => app.UseRouter(compress.New()),
  "csrf": (app) => app.Use(csrf.New()),
  "health": (app) => health.New().Register(app),
  "i18n": (app) => app.I18n.LoadKV({ en: { hi: "Hello" } }).LoadKV({ en: { bye: "Bye" } }),
  "jobs": (app) => jobs.New(jobs.NewMemory()).RunWith(app),
  "jobs page": (app) => page.New(jobs.New(jobs.NewMemory())).Register(app),
  "mail": (app) => mail.New({ Transport: mail.NewMemory(), From: "fw@example.com", App: app }),
  "mailbox": (app) => mail.NewMemory().Register(app),
  "metrics": (app) => app.UseRouter(metrics.New().Handler()),
  "monitor": (app) => app.UseRouter(monitor.New().Handler()),
  "requestid": (app) => app.UseRouter(requestid.New()),
  "secure": (app) => app.UseRouter(secure.New({ Nonce: true })),
  "sessions": (app) => app.Use(sessions.New().Handler()),
  "views": (app) => app.RegisterView(fw.HTML("").ParseTemplate("a.html", "a")),
  "websocket": (app) => app.Get("/ws", websocket.Handler(websocket.New())),
};

for (const [name, attach] of Object.entries(features)) {
  Deno.test(`the feature "${name}" is an extension`, async () => {
    const app = quiet();
    attach(app);
    const names = new Set(app.Extensions().map((each) => each.Name));
    assertEquals(names.has(name), true, `only ${[...names].join(", ")}`);
    app.Install({ Name: "dependent", Needs: [name], Install() {} });
    await app.Build();
    await app.Shutdown();
  });
}

Deno.test("features that can be used several times are", async () => {
  const app = quiet();
  const twice = Object.keys(features).filter((name) => !["i18n", "health", "jobs page", "mailbox"].includes(name));
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
