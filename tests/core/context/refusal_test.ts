import { assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import * as csrf from "../../../src/middleware/csrf/mod.ts";
import * as ipfilter from "../../../src/middleware/ipfilter.ts";
import * as oauth from "../../../src/middleware/oauth/mod.ts";
import * as ratelimit from "../../../src/middleware/ratelimit.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as versioning from "../../../src/hosts/versioning/mod.ts";
import { quiet } from "../../serving.ts";
import { startProvider } from "../../middleware/provider.ts";

type Respond = (ctx: fw.Context) => ReturnType<fw.Handler>;

/** Sends a request that is refused, and returns the response. */
type Refuse = (respond: Respond) => Promise<Response>;

function app(...guards: fw.Handler[]): fw.Application {
  const app = quiet();
  app.Use(...guards);
  const served: fw.Handler = (ctx) => ctx.Text("served");
  app.Get("/", served);
  app.Post("/", served);
  return app;
}

/** All callbacks that respond to a refusal, with the status of the refusal. */
const callbacks: Readonly<Record<string, readonly [status: number, refuse: Refuse]>> = {
  "ratelimit's OnRefuse": [429, async (OnRefuse) => {
    const { fetch } = app(ratelimit.New({ Limit: 1, Period: 60_000, Key: () => "one", OnRefuse }));
    await (await fetch(new Request("http://localhost/"))).text();
    return await fetch(new Request("http://localhost/"));
  }],
  "ipfilter's OnRefuse": [403, async (OnRefuse) => {
    const { fetch } = app(ipfilter.New({ Allow: ["10.0.0.0/8"], OnRefuse }));
    return await fetch(new Request("http://localhost/"));
  }],
  "csrf's OnRefuse": [403, async (OnRefuse) => {
    const { fetch } = app(csrf.New({ OnRefuse }));
    const headers = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
    return await fetch(new Request("http://localhost/", { method: "POST", headers }));
  }],
  "oauth's OnRefuse": [401, async (OnRefuse) => {
    await using provider = await startProvider();
    const one = quiet();
    const Sessions = sessions.New();
    const login = oauth.New({
      Issuer: provider.issuer,
      ClientID: "app",
      ClientSecret: "secret",
      RedirectURL: "http://localhost/callback",
      Sessions,
      OnRefuse,
    });
    one.Use(Sessions.Handler());
    one.Get("/callback", login.Callback());
    return await one.fetch(new Request("http://localhost/callback?state=unknown&code=x"));
  }],
  "versioning's NotFoundHandler": [501, async (respond) => {
    const one = quiet();
    const party = one.Party("/");
    party.Use(versioning.NotFoundHandler(respond));
    versioning.NewGroup(party, "1.x").Get("/", (ctx) => ctx.Text("served"));
    return await one.fetch(new Request("http://localhost/", { headers: { "accept-version": "9.0.0" } }));
  }],
};

for (const [name, [status, refuse]] of Object.entries(callbacks)) {
  Deno.test(`${name} keeps the status of the refusal if it only writes a body`, async () => {
    const bodies: readonly Respond[] = [
      (ctx) => ctx.Text("no"),
      async (ctx) => {
        await Promise.resolve();
        ctx.JSON({ refused: true });
      },
      (ctx) => void ctx.HTML("<p>no</p>"),
      () => new Response("no", { headers: { "x-own": "1" } }),
      () => Promise.resolve(new Response("no")),
      (ctx) => ctx.StopExecution(),
      () => {},
    ];
    for (const [at, respond] of bodies.entries()) {
      const response = await refuse(respond);
      assertEquals(response.status, status, `body ${at}`);
      assertEquals((await response.text()).includes("served"), false);
      if (at === 3) assertEquals(response.headers.get("x-own"), "1");
    }
  });

  Deno.test(`${name} can set another status`, async () => {
    const statuses: readonly (readonly [number, Respond])[] = [
      [418, (ctx) => (ctx.StatusCode(418), ctx.Text("tea"))],
      [302, (ctx) => ctx.Redirect("/login", 302)],
      [404, (ctx) => ctx.StopWithStatus(404)],
      [200, (ctx) => (ctx.StatusCode(200), ctx.Text("fine"))],
      [503, () => new Response("later", { status: 503 })],
      [409, (ctx) => ctx.StopWithProblem({ Status: 409 })],
    ];
    for (const [expected, respond] of statuses) {
      const response = await refuse(respond);
      await response.text();
      assertEquals(response.status, expected);
    }
  });
}
