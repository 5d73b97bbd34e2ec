import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as apps from "../../src/hosts/apps/mod.ts";
import * as csrf from "../../src/middleware/csrf/mod.ts";
import * as rewrite from "../../src/middleware/rewrite/mod.ts";
import * as keys from "../../src/state/keys/mod.ts";
import { askInProcess, bothWays, overSocket, quiet } from "../serving.ts";

const ring = keys.New("k".repeat(32));

function appWith(options: csrf.Options = {}, ...configurators: fw.Configurator[]): fw.Application {
  const app = quiet().Configure(...configurators);
  app.Use(csrf.New(options));
  app.Get("/", (ctx) => ctx.WriteString(csrf.Token(ctx)));
  app.Get("/form", (ctx) => ctx.HTML(csrf.Field(ctx)));
  app.Any("/change", async (ctx) => ctx.WriteString(`done ${await ctx.PostValue("x")}`));
  return app;
}

async function statusOf(headers: Record<string, string>, options?: csrf.Options, method = "POST"): Promise<number> {
  return (await askInProcess(appWith(options), "/change", { method, headers: { host: "shop.example", ...headers } }))
    .status;
}

const sites: [site: string, status: number][] = [
  ["same-origin", 200],
  ["none", 200],
  ["same-site", 403],
  ["cross-site", 403],
  ["Same-Origin", 403],
  ["same-origin, cross-site", 403],
  ["same-origin ", 200],
  ["unknown", 403],
];
for (const [site, status] of sites) {
  Deno.test(`csrf.New() responds with ${status} if Sec-Fetch-Site is "${site}"`, async () => {
    assertEquals(await statusOf({ "sec-fetch-site": site }), status);
  });
}

Deno.test("csrf.New() compares Origin with the host that the client requested if the application sees another one", async () => {
  const primary = appWith();
  primary.WrapRouter(rewrite.New({ PrimarySubdomain: "www" }));
  const several = apps.Switch([{ Pattern: /^www\./, Target: appWith() }], apps.SetHost("inner.example"));
  several.Logger().SetLevel("disable");
  for (const app of [primary, several]) {
    const statusOf = async (origin: string) =>
      (await askInProcess(app, "/change", { method: "POST", headers: { host: "www.shop.example", origin } })).status;
    assertEquals(await statusOf("http://www.shop.example"), 200);
    for (const origin of ["http://evil.example", "http://blog.shop.example", "null"]) {
      assertEquals(await statusOf(origin), 403, origin);
    }
  }
});

const origins: [origin: string, status: number][] = [
  ["http://shop.example", 200],
  // A proxy that fw does not trust may have terminated TLS.
  ["https://shop.example", 200],
  ["http://shop.example:8080", 403],
  ["https://evil.example", 403],
  ["http://shop.example.evil.example", 403],
  ["http://evilshop.example", 403],
  ["http://shop.example, http://evil.example", 403],
  ["http://shop.example@evil.example", 403],
  ["null", 403],
  ["http://SHOP.example", 403],
  ["http://shop.example/", 403],
  ["shop.example", 403],
  ["javascript:alert(1)", 403],
];
for (const [origin, status] of origins) {
  Deno.test(`csrf.New() responds with ${status} on shop.example if only Origin is sent: "${origin}"`, async () => {
    assertEquals(await statusOf({ origin }), status);
  });
}

Deno.test("csrf.New() prefers Sec-Fetch-Site to a matching Origin", async () => {
  assertEquals(await statusOf({ "sec-fetch-site": "cross-site", origin: "http://shop.example" }), 403);
  assertEquals(await statusOf({ "sec-fetch-site": "same-site", origin: "http://shop.example" }), 403);
  assertEquals(await statusOf({ "sec-fetch-site": "same-origin", origin: "http://evil.example" }), 200);
});

Deno.test("csrf.New() over HTTPS rejects requests from an HTTP page of the same host", async () => {
  const request = (origin: string) =>
    new Request("https://shop.example/change", { method: "POST", headers: { origin } });
  assertEquals((await appWith().fetch(request("https://shop.example"))).status, 200);
  assertEquals((await appWith().fetch(request("http://shop.example"))).status, 403);
});

Deno.test("csrf.New() uses the forwarded host only from trusted proxies", async () => {
  const ask = async (peer: string) => {
    const headers = {
      origin: "https://public.example",
      "x-forwarded-host": "public.example",
      "x-forwarded-proto": "https",
    };
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: peer, port: 1 };
    const app = appWith({}, fw.WithProxy({ Trust: ["10.0.0.1"] }));
    return (await app.fetch(new Request("http://inner/change", { method: "POST", headers }), { remoteAddr })).status;
  };
  assertEquals([await ask("10.0.0.1"), await ask("10.0.0.2")], [200, 403]);
});

Deno.test("csrf.New() accepts trusted origins in either header", async () => {
  const options = { Origins: ["https://admin.example", "https://*.shop.example"] };
  for (const origin of ["https://admin.example", "https://pay.shop.example"]) {
    assertEquals(await statusOf({ "sec-fetch-site": "cross-site", origin }, options), 200);
    assertEquals(await statusOf({ origin }, options), 200);
  }
  for (const origin of ["https://admin.example.evil.example", "http://admin.example", "null", ""]) {
    assertEquals(await statusOf({ "sec-fetch-site": "cross-site", origin }, options), 403);
  }
});

bothWays("csrf.New() accepts GET, HEAD and OPTIONS, and checks every other method", appWith, async (ask) => {
  for (const method of ["GET", "HEAD", "OPTIONS"]) {
    assertNotEquals((await ask("/change", { method, headers: { "sec-fetch-site": "cross-site" } })).status, 403);
  }
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    assertEquals((await ask("/change", { method, headers: { "sec-fetch-site": "cross-site" } })).status, 403, method);
    assertEquals((await ask("/change", { method, headers: { "sec-fetch-site": "same-origin" } })).status, 200, method);
  }
});

Deno.test("csrf.New() without keys accepts requests without both headers, and has no tokens", async () => {
  assertEquals(await statusOf({}), 200);
  const response = await askInProcess(appWith(), "/");
  assertEquals([response.text, response.headers.get("set-cookie")], ["", null]);
});

const handshake = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
const handshakes: [what: string, headers: Record<string, string>, status: number][] = [
  ["of a page of this site", { origin: "http://shop.example" }, 200],
  ["of a page of another site", { origin: "https://evil.example" }, 403],
  ["of a sibling", { origin: "http://blog.shop.example" }, 403],
  ["of a sandbox", { origin: "null" }, 403],
  ["in other letters", { upgrade: "WebSocket", origin: "https://evil.example" }, 403],
  ["among others", { upgrade: "h2c, websocket", origin: "https://evil.example" }, 403],
  ["that is cross-site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
  ["that is cross-site, without an origin", { "sec-fetch-site": "cross-site" }, 403],
  ["of a trusted site", { origin: "https://app.example" }, 200],
  ["of a program, which sends neither header", {}, 200],
];
for (const [what, headers, status] of handshakes) {
  for (const Keys of [undefined, ring]) {
    Deno.test(`csrf.New() responds with ${status} to a WebSocket handshake ${what}${Keys ? ", with keys" : ""}`, async () => {
      const options = { Origins: ["https://app.example"], ...Keys && { Keys } };
      assertEquals(await statusOf({ ...handshake, ...headers }, options, "GET"), status);
    });
  }
}

Deno.test("csrf.New() allows only pages of the same site to open a WebSocket", async () => {
  const app = quiet();
  app.Use(csrf.New());
  app.Get("/socket", (ctx) => {
    const { socket, response } = Deno.upgradeWebSocket(ctx.Request());
    socket.onopen = () => socket.close();
    return response;
  });
  await overSocket(app, async (_, port) => {
    const opens = async (origin: string) => {
      const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13", origin };
      const lines = Object.entries({ host: `127.0.0.1:${port}`, connection: "Upgrade", upgrade: "websocket", ...key });
      const head = `GET /socket HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(new TextEncoder().encode(head));
      const reply = new Uint8Array(1000);
      return new TextDecoder().decode(reply.subarray(0, await connection.read(reply) ?? 0)).startsWith("HTTP/1.1 101");
    };
    assertEquals(await opens(`http://127.0.0.1:${port}`), true);
    assertEquals(await opens("https://evil.example"), false);
  });
});

/** Creates a form with files and the token before or after them. */
function formWith(token: string, order: "before" | "behind", size: number): FormData {
  const form = new FormData();
  if (order === "before") form.set("csrf_token", token);
  form.set("x", "5");
  form.set("file", new File(["a".repeat(size)], "a.txt"));
  if (order === "behind") form.set("csrf_token", token);
  return form;
}

for (const size of [10, 3 << 20]) {
  Deno.test(`csrf.New() with keys accepts the token of a multipart form with a file of ${size} bytes`, async () => {
    const folder = await Deno.makeTempDir();
    const app = appWith({ Keys: ring });
    app.Post("/upload", async (ctx) => {
      const files = await ctx.UploadFormFiles(folder);
      ctx.WriteString(`${await ctx.PostValue("x")} ${files.length}`);
    });
    app.Post("/form", async (ctx) => {
      const form = await ctx.FormData();
      ctx.WriteString(`${form.get("x")} ${(form.get("file") as File).size}`);
    });
    app.Post("/value", async (ctx) => ctx.WriteString(await ctx.PostValue("x")));
    app.Post("/nothing", (ctx) => ctx.WriteString("unread"));
    await overSocket(app, async (_, port) => {
      const page = await fetch(`http://127.0.0.1:${port}/`);
      const [token, cookie] = [await page.text(), page.headers.get("set-cookie")?.split(";")[0] ?? ""];
      const send = async (path: string, body: FormData) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body, headers: { cookie } });
        return [response.status, await response.text()];
      };
      assertEquals((await send("/upload", formWith(token, "before", size)))[0], 200);
      assertEquals((await Deno.stat(`${folder}/a.txt`)).size, size);
      assertEquals(await send("/form", formWith(token, "before", size)), [200, `5 ${size}`]);
      assertEquals(await send("/value", formWith(token, "before", size)), [200, "5"]);
      assertEquals(await send("/nothing", formWith(token, "before", size)), [200, "unread"]);
      assertEquals((await send("/value", formWith("wrong", "before", size)))[0], 403);
      const behind = await send("/value", formWith(token, "behind", size));
      if (size < 1000) assertEquals(behind, [200, "5"]);
      else assertEquals(behind, [403, 'Cannot check the form: the field "csrf_token" must come before the files']);
      const none = formWith("", "before", 10);
      none.delete("csrf_token");
      assertEquals((await send("/value", none))[0], 403);
    });
    await Deno.remove(folder, { recursive: true });
  });
}

Deno.test("csrf.New() skips requests with Skip, and responds with OnRefuse", async () => {
  const options: csrf.Options = {
    Skip: (ctx) => ctx.GetHeader("authorization").startsWith("Bearer "),
    OnRefuse: (ctx) => ctx.StopWithText(400, "reload the page"),
  };
  const foreign = { "sec-fetch-site": "cross-site" };
  assertEquals(await statusOf({ ...foreign, authorization: "Bearer x" }, options), 200);
  assertEquals(await statusOf(foreign, options), 400);
});

/** Returns a client that has loaded a page with a token. */
async function loaded(app: fw.Application, cookie = ""): Promise<{ token: string; cookie: string }> {
  const response = await askInProcess(app, "/", { headers: cookie === "" ? {} : { cookie } });
  const set = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
  return { token: response.text, cookie: set };
}

async function send(app: fw.Application, headers: Record<string, string>, body = "x=1"): Promise<number> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return (await askInProcess(app, "/change", { method: "POST", headers: { ...type, ...headers }, body })).status;
}

Deno.test("csrf.Token() is accepted from an old browser in a header or a field, together with its cookie", async () => {
  const app = appWith({ Keys: ring });
  const { token, cookie } = await loaded(app);
  assertEquals(await send(app, { cookie, "x-csrf-token": token }), 200);
  assertEquals(await send(app, { cookie }, `x=1&csrf_token=${encodeURIComponent(token)}`), 200);
  assertEquals(await send(app, { cookie }), 403);
  assertEquals(await send(app, {}), 403);
  assertEquals(await send(app, { "x-csrf-token": token }), 403);
});

Deno.test("csrf.Token() is valid only with its own cookie, not with another client's or a planted one", async () => {
  const app = appWith({ Keys: ring });
  const [victim, attacker] = [await loaded(app), await loaded(app)];
  assertNotEquals(victim.cookie, attacker.cookie);
  assertEquals(await send(app, { cookie: victim.cookie, "x-csrf-token": attacker.token }), 403);
  assertEquals(await send(app, { cookie: attacker.cookie, "x-csrf-token": victim.token }), 403);
  // These tokens were made up without a key.
  for (const token of ["", "a", "a.b.c", `${attacker.token}x`, victim.cookie.split("=")[1] ?? ""]) {
    assertEquals(await send(app, { cookie: victim.cookie, "x-csrf-token": token }), 403, token);
  }
  const other = appWith({ Keys: keys.New("o".repeat(32)) });
  assertEquals(await send(other, { cookie: victim.cookie, "x-csrf-token": victim.token }), 403);
});

Deno.test("csrf.Token() is ignored if a page of another site sends both headers", async () => {
  const app = appWith({ Keys: ring });
  const { token, cookie } = await loaded(app);
  assertEquals(await send(app, { cookie, "x-csrf-token": token, "sec-fetch-site": "cross-site" }), 403);
  assertEquals(await send(app, { cookie, "x-csrf-token": token, origin: "https://evil.example" }), 403);
});

Deno.test("csrf.Token() returns a different valid token each time for the same cookie", async () => {
  const app = appWith({ Keys: ring });
  const one = await loaded(app);
  const two = await loaded(app, one.cookie);
  assertEquals(one.cookie, two.cookie);
  assertNotEquals(one.token, two.token);
  assertEquals(await send(app, { cookie: one.cookie, "x-csrf-token": one.token }), 200);
  assertEquals(await send(app, { cookie: one.cookie, "x-csrf-token": two.token }), 200);
});

Deno.test("csrf.Token() bound to a session is not valid in another session", async () => {
  const app = appWith({ Keys: ring, Bind: (ctx) => ctx.GetCookie("sid") });
  const { token, cookie } = await loaded(app, "sid=one");
  const id = cookie.startsWith("csrf") ? cookie : "";
  assertEquals(await send(app, { cookie: `sid=one; ${id}`, "x-csrf-token": token }), 200);
  assertEquals(await send(app, { cookie: `sid=two; ${id}`, "x-csrf-token": token }), 403);
});

Deno.test("csrf.Token() is not accepted from the query or from files, and its cookie is validated", async () => {
  const app = appWith({ Keys: ring });
  const { token, cookie } = await loaded(app);
  const inQuery = `/change?csrf_token=${encodeURIComponent(token)}`;
  assertEquals((await askInProcess(app, inQuery, { method: "POST", headers: { cookie } })).status, 403);
  const form = new FormData();
  form.set("csrf_token", new File([token], "token.txt"));
  const request = new Request("http://localhost/change", { method: "POST", headers: { cookie }, body: form });
  assertEquals((await app.fetch(request)).status, 403);
  assertEquals(await send(app, { cookie: "csrf=", "x-csrf-token": token }), 403);
  assertEquals(await send(app, { cookie: "csrf=../../etc/passwd", "x-csrf-token": token }), 403);
});

Deno.test("csrf.Token() sets a cookie that scripts and sibling domains cannot access", async () => {
  const secure = await appWith({ Keys: ring }).fetch(new Request("https://shop.example/"));
  assertMatch(
    secure.headers.get("set-cookie") ?? "",
    /^__Host-csrf=[\w-]{22}; Secure; HttpOnly; SameSite=Lax; Path=\/$/,
  );
  const plain = await appWith({ Keys: ring }).fetch(new Request("http://shop.example/"));
  assertMatch(plain.headers.get("set-cookie") ?? "", /^csrf=[\w-]{22}; HttpOnly; SameSite=Lax; Path=\/$/);
  const quietly = await appWith({ Keys: ring }).fetch(new Request("http://shop.example/absent"));
  assertEquals(quietly.headers.get("set-cookie"), null, "only who asks for a token gets a cookie");
});

Deno.test("csrf: a view renders the field with a function, and its form is accepted", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/form.html`, `<form method="post"><%~ it.csrfField() %></form>`);
    const app = appWith({ Keys: ring, Field: "_token" });
    app.RegisterView(fw.HTML(folder));
    app.Get("/view", (ctx) => ctx.View("form"));
    const response = await askInProcess(app, "/view");
    const [, name, value] = /<input type="hidden" name="(.*?)" value="(.*?)">/.exec(response.text) ?? [];
    const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    assertEquals(
      await send(app, { cookie }, new URLSearchParams({ x: "1", [name ?? ""]: value ?? "" }).toString()),
      200,
    );
    assert(name === "_token");
    assertMatch((await askInProcess(app, "/form")).text, /^<input type="hidden" name="_token" value="[\w.-]+">$/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

for (const options of [{ Origins: ["shop.example"] }, { Keys: ring, Field: '"><script>' }]) {
  Deno.test(`csrf.New() rejects an invalid ${Object.keys(options).join()}`, () => {
    assertThrows(() => csrf.New(options), fw.FrameworkError);
  });
}

for (
  const [what, headers, reason] of [
    [
      "a cross-site request",
      { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
      'it comes from a page of the origin "https://evil.example" (cross-site), which is neither the application\'s own ' +
      'origin "http://shop.example" nor in Origins',
    ],
    [
      "a cross-site request without an origin",
      { "sec-fetch-site": "same-site" },
      "it comes from a page of another origin (same-site), which is neither the application's own origin " +
      '"http://shop.example" nor in Origins',
    ],
    [
      "another origin",
      { origin: "https://evil.example" },
      'it comes from a page of the origin "https://evil.example", which is neither the application\'s own origin ' +
      '"http://shop.example" nor in Origins',
    ],
    [
      "a missing token",
      {},
      'it has no token, neither in the header "X-CSRF-Token" nor in the form field "csrf_token"',
    ],
    [
      "a missing token of a form",
      { cookie: `csrf=${"a".repeat(22)}`, "content-type": "application/x-www-form-urlencoded" },
      'it has no token, neither in the header "X-CSRF-Token" nor in the form field "csrf_token"',
    ],
    ["a missing cookie", { "x-csrf-token": "x" }, 'it has no cookie "csrf", which is set with the token'],
    [
      "a wrong token",
      { cookie: `csrf=${"a".repeat(22)}`, "x-csrf-token": "wrong" },
      "its token is invalid, has expired or belongs to another client",
    ],
  ] as const
) {
  Deno.test(`csrf.New() reports ${what} to handlers and developers, but not to clients`, async () => {
    const question = { method: "POST", headers: { host: "shop.example", ...headers } };
    const plain = await askInProcess(appWith({ Keys: ring }), "/change", question);
    assertEquals([plain.status, plain.text], [403, "Forbidden"]);
    const json = { ...question, headers: { ...question.headers, accept: "application/json" } };
    assertEquals(JSON.parse((await askInProcess(appWith({ Keys: ring }), "/change", json)).text), {
      type: "about:blank",
      title: "Forbidden",
      status: 403,
    });
    const app = appWith({ Keys: ring });
    app.OnAnyErrorCode((ctx) => ctx.WriteString(ctx.GetErr()?.message ?? ""));
    const lines: string[] = [];
    app.Logger().SetLevel("debug").SetTimeFormat("").SetOutput((line) => lines.push(line));
    assertEquals((await askInProcess(app, "/change", question)).text, `Cannot accept the request: ${reason}`);
    app.Logger().Flush();
    assertEquals(lines, [`[DBUG] Rejected POST /change with 403: Cannot accept the request: ${reason}`]);
    const browser = { ...question, headers: { ...question.headers, accept: "text/html" } };
    const page = await askInProcess(appWith({ Keys: ring }, fw.WithDevelopment), "/change", browser);
    assert(page.text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").includes(reason), page.text);
  });
}
