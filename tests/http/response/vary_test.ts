import * as fw from "@fw/web";
import * as oauth from "@fw/web/middleware/oauth";
import * as sessions from "@fw/web/sessions";
import { assertEquals } from "@std/assert";
import { Draft, setHeader, varyBy } from "../../../src/http/response/draft.ts";
import { askInProcess, bothWays, quiet } from "../../serving.ts";

const accepts = ["", "text/html", "application/json", "application/problem+xml", "text/plain", "*/*"];

const errors: [path: string, status: number][] = [
  ["/missing", 404],
  ["/post", 405],
  ["/throws", 500],
  ["/problem", 422],
  ["/public", 409],
  ["/status", 403],
];

function failing(): fw.Application {
  const app = quiet();
  app.Post("/post", () => {});
  app.Get("/throws", () => {
    throw new Error("inside");
  });
  app.Get("/problem", (ctx) => ctx.Problem({ Status: 422, Title: "No" }));
  app.Get("/public", () => {
    throw new fw.HTTPError(409, "It is taken");
  });
  app.Get("/status", (ctx) => ctx.StopWithStatus(403));
  return app;
}

bothWays("error pages that depend on Accept set Vary", failing, async (ask) => {
  for (const [path, status] of errors) {
    for (const accept of accepts) {
      const response = await ask(path, accept === "" ? {} : { headers: { accept } });
      assertEquals([response.status, response.headers.get("vary")], [status, "Accept"], `${path} ${accept}`);
    }
  }
});

Deno.test("the development page varies by Accept", async () => {
  const app = failing();
  app.Configure(fw.WithDevelopment);
  for (const accept of accepts) {
    assertEquals((await askInProcess(app, "/throws", { headers: { accept } })).headers.get("vary"), "Accept");
  }
});

Deno.test("an error page adds to an existing Vary header", async () => {
  const app = quiet();
  app.UseRouter((ctx) => {
    ctx.AddHeader("vary", "Origin");
    return ctx.Next();
  });
  assertEquals((await askInProcess(app, "/missing")).headers.get("vary"), "Origin, Accept");
});

Deno.test("Party.HandleDir() with SPA varies by Accept, even if the page is not sent", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/index.html`, "<p>spa</p>");
    const app = quiet();
    app.HandleDir("/", folder, { SPA: true });
    const page = await askInProcess(app, "/users/7", { headers: { accept: "text/html" } });
    const script = await askInProcess(app, "/users/7", { headers: { accept: "*/*" } });
    assertEquals([page.status, page.headers.get("vary"), script.status, script.headers.get("vary")], [
      200,
      "Accept",
      404,
      "Accept",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Client.Require() of oauth varies by Accept", async () => {
  const app = quiet();
  const login = oauth.New({
    Issuer: "https://login.invalid",
    ClientID: "app",
    RedirectURL: "https://app.example/callback",
    Sessions: sessions.New(),
  });
  app.Get("/", login.Require("/login"), () => {});
  for (const accept of ["text/html", "application/json"]) {
    assertEquals((await askInProcess(app, "/", { headers: { accept } })).headers.get("vary"), "Accept, Cookie");
  }
});

const names: [before: string, after: string][] = [
  ["", "Accept"],
  ["Accept", "Accept"],
  ["accept , Origin", "accept , Origin"],
  ["Accept-Encoding", "Accept-Encoding, Accept"],
  ["*", "*"],
];
for (const [before, after] of names) {
  Deno.test(`varyBy() changes "${before}" to "${after}"`, () => {
    const draft = new Draft();
    if (before !== "") setHeader(draft, "vary", before);
    varyBy(draft, "Accept");
    assertEquals(draft.headers?.map((pair) => pair[1]).join(", "), after);
  });
}
