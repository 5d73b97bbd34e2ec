import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import helmet from "npm:helmet@8";
import * as fw from "../../mod.ts";
import * as secure from "../../src/middleware/secure/mod.ts";
import { askInProcess, bothWays, quiet } from "../serving.ts";

type HelmetOptions = NonNullable<Parameters<typeof helmet>[0]>;

/** Returns the headers that helmet sets. */
function helmetHeaders(options?: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => headers[name.toLowerCase()] = value,
    removeHeader: (name: string) => delete headers[name.toLowerCase()],
  };
  type Args = Parameters<ReturnType<typeof helmet>>;
  helmet(options)({} as Args[0], response as unknown as Args[1], (error?: unknown) => assertEquals(error, undefined));
  return headers;
}

function appWith(options?: secure.Options): fw.Application {
  const app = quiet();
  app.UseRouter(secure.New(options));
  app.Get("/", (ctx) => ctx.WriteString("text"));
  return app;
}

async function headersOf(options?: secure.Options, scheme = "https"): Promise<Record<string, string>> {
  const { headers } = await appWith(options).fetch(new Request(`${scheme}://localhost/`));
  const all = Object.fromEntries(headers);
  delete all["content-type"];
  return all;
}

Deno.test("secure.New() sets the same headers and values as helmet 8", async () => {
  assertEquals(await headersOf(), helmetHeaders());
  assert(Object.keys(helmetHeaders()).length >= 12);
});

Deno.test("secure.New() with options sets the same headers as helmet 8 with the same options", async () => {
  assertEquals(
    await headersOf({
      ContentSecurityPolicy: { "img-src": ["'self'", "https://img.example"], "upgrade-insecure-requests": null },
      ReferrerPolicy: "same-origin",
      StrictTransportSecurity: "max-age=60; includeSubDomains; preload",
      XFrameOptions: "DENY",
      CrossOriginEmbedderPolicy: "require-corp",
      XDownloadOptions: false,
    }),
    helmetHeaders({
      contentSecurityPolicy: {
        directives: { imgSrc: ["'self'", "https://img.example"], upgradeInsecureRequests: null },
      },
      referrerPolicy: { policy: "same-origin" },
      strictTransportSecurity: { maxAge: 60, includeSubDomains: true, preload: true },
      xFrameOptions: { action: "deny" },
      crossOriginEmbedderPolicy: true,
      xDownloadOptions: false,
    }),
  );
  assertEquals(await headersOf({ ContentSecurityPolicy: false }), helmetHeaders({ contentSecurityPolicy: false }));
  assertEquals(
    await headersOf({ ReportOnly: true }),
    helmetHeaders({ contentSecurityPolicy: { reportOnly: true } }),
  );
});

bothWays("secure.New() covers error pages, redirects, returned Responses and HEAD", () => {
  const app = appWith();
  app.Get("/fails", () => {
    throw new Error("inside");
  });
  app.Get("/goes", (ctx) => ctx.Redirect("/"));
  app.Get("/returns", () => new Response("own", { headers: { "x-own": "1" } }));
  return app;
}, async (ask) => {
  const rows: [string, string, number][] = [
    ["GET", "/absent", 404],
    ["GET", "/fails", 500],
    ["GET", "/goes", 302],
    ["GET", "/returns", 200],
    ["HEAD", "/", 200],
    ["DELETE", "/", 405],
    ["GET", "/%zz", 400],
  ];
  for (const [method, path, status] of rows) {
    const response = await ask(path, { method });
    assertEquals(response.status, status);
    assertEquals(response.headers.get("x-frame-options"), "SAMEORIGIN", `${method} ${path}`);
    const directives = { upgradeInsecureRequests: null };
    assertEquals(
      response.headers.get("content-security-policy"),
      helmetHeaders({ contentSecurityPolicy: { directives } })["content-security-policy"],
    );
  }
});

bothWays("secure.New() sends upgrade-insecure-requests only to clients that use HTTPS", () => {
  const app = quiet();
  app.Configure(fw.WithProxy({ Trust: ["loopback"] }));
  const add = (name: string, options: secure.Options) =>
    app.Get(`/${name}`, secure.New(options), (ctx) => ctx.WriteString("text"));
  add("plain", {});
  add("nonce", { Nonce: true });
  add("report", { ReportOnly: true });
  add("forced", { ContentSecurityPolicy: { "upgrade-insecure-requests": [] } });
  add("removed", { ContentSecurityPolicy: { "upgrade-insecure-requests": null } });
  return app;
}, async (ask) => {
  const rows: [path: string, http: boolean, https: boolean][] = [
    ["/plain", false, true],
    ["/nonce", false, true],
    ["/report", false, true],
    ["/forced", true, true],
    ["/removed", false, false],
  ];
  for (const [path, ...expected] of rows) {
    for (const host of ["localhost", "192.0.2.7:8080", "shop.example"]) {
      const sent = await Promise.all(["http", "https"].map(async (scheme) => {
        const { headers } = await ask(path, { headers: { host, "x-forwarded-proto": scheme } });
        const policy = headers.get("content-security-policy") ?? headers.get("content-security-policy-report-only");
        return /;upgrade-insecure-requests(?:;|$)/.test(policy ?? "");
      }));
      assertEquals(sent, expected, `${path} ${host}`);
    }
  }
});

Deno.test("secure.New() lets handlers override its headers", async () => {
  const app = appWith();
  app.Get("/framed", (ctx) => {
    ctx.Header("X-Frame-Options", "");
    ctx.Header("Referrer-Policy", "origin");
  });
  const { headers } = await askInProcess(app, "/framed");
  assertEquals([headers.get("x-frame-options"), headers.get("referrer-policy")], [null, "origin"]);
  assertEquals((await askInProcess(app, "/")).headers.get("x-frame-options"), "SAMEORIGIN", "for this response alone");
});

Deno.test("secure.New() does not share headers between responses", async () => {
  const app = appWith();
  app.Get("/adds", (ctx) => ctx.AddHeader("x-added", "1"));
  assertEquals((await askInProcess(app, "/adds")).headers.get("x-added"), "1");
  assertEquals((await askInProcess(app, "/adds")).headers.get("x-added"), "1");
  assertEquals((await askInProcess(app, "/")).headers.get("x-added"), null);
});

Deno.test("secure.New() replaces headers that were set before it", async () => {
  const app = quiet();
  app.UseRouter((ctx) => {
    ctx.Header("X-Frame-Options", "ALLOWALL");
    ctx.Header("x-kept", "1");
    return ctx.Next();
  });
  app.UseRouter(secure.New());
  const { headers } = await askInProcess(app, "/");
  assertEquals([headers.get("x-frame-options"), headers.get("x-kept")], ["SAMEORIGIN", "1"]);
});

Deno.test("secure.Nonce() returns a new nonce per response, which is in the policy and the view's data", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/page.html`, `<script nonce="<%= it.nonce %>"></script>`);
    const app = quiet();
    app.RegisterView(fw.HTML(folder));
    app.UseRouter(secure.New({ Nonce: ["script-src", "style-src"] }));
    app.Get("/view", (ctx) => ctx.View("page"));
    app.Get("/text", (ctx) => ctx.WriteString(secure.Nonce(ctx)));
    const view = await askInProcess(app, "/view");
    const [, nonce = ""] = /nonce="(.*)"/.exec(view.text) ?? [];
    assertEquals(atob(nonce.replaceAll("&#x3D;", "=").replaceAll("&#61;", "=")).length, 16);
    const policy = view.headers.get("content-security-policy") ?? "";
    const source = `'nonce-${nonce.replaceAll("&#x3D;", "=").replaceAll("&#61;", "=")}'`;
    assertEquals(policy.split(source).length, 3, policy);
    assertMatch(policy, /script-src 'self' 'nonce-/);
    assertMatch(policy, /style-src 'self' https: 'unsafe-inline' 'nonce-/);
    const [one, two] = [await askInProcess(app, "/text"), await askInProcess(app, "/text")];
    assertNotEquals(one.text, two.text);
    assert(one.headers.get("content-security-policy")?.includes(`'nonce-${one.text}'`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("secure.Nonce() is empty without a nonce, and replaces 'none' otherwise", async () => {
  const app = appWith();
  app.Get("/nonce", (ctx) => ctx.WriteString(`[${secure.Nonce(ctx)}]`));
  assertEquals((await askInProcess(app, "/nonce")).text, "[]");
  const policy = { "script-src": ["'none'"], "default-src": ["'self'"] };
  const headers = await headersOf({ Nonce: true, ContentSecurityPolicy: policy });
  assertMatch(headers["content-security-policy"] ?? "", /script-src 'nonce-[^']+';/);
});

const refused: [string, secure.Options][] = [
  ["a directive with a semicolon", { ContentSecurityPolicy: { "img-src": ["'self'; script-src *"] } }],
  ["a value with a space", { ContentSecurityPolicy: { "img-src": ["'self' data:"] } }],
  ["a keyword without quotes", { ContentSecurityPolicy: { "script-src": ["self"] } }],
  ["a nonce without quotes", { ContentSecurityPolicy: { "script-src": ["nonce-abc"] } }],
  ["a directive in capitals", { ContentSecurityPolicy: { "scriptSrc": ["'self'"] } }],
  ["a directive with a space", { ContentSecurityPolicy: { "script-src x": ["'self'"] } }],
  ["a line break in a policy", { ContentSecurityPolicy: { "img-src": ["a\r\nset-cookie:x=1"] } }],
  ["a line break in a header", { ReferrerPolicy: "no-referrer\r\nset-cookie: x=1" }],
  ["a nonce for what is not a directive", { Nonce: ["script src"] }],
];
for (const [what, options] of refused) {
  Deno.test(`secure.New() rejects ${what}`, () => {
    assertThrows(() => secure.New(options), fw.FrameworkError);
  });
}
