import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { overSocket, quiet, readReceived, sendBytes } from "../../../serving.ts";

/** Sends a request line and a Host header without changing them. */
async function send(port: number, target: string, host: string): Promise<string> {
  // Headers are encoded as Latin-1.
  const head = Uint8Array.from(
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    (letter) => letter.charCodeAt(0),
  );
  const { status, text } = readReceived(await sendBytes(port, head));
  return `${status} ${text}`;
}

function guarded(...configurators: fw.Configurator[]): fw.Application {
  const app = quiet().Configure(...configurators);
  app.UseRouter((ctx) => (ctx.Header("x-seen", "1"), ctx.Next()));
  app.Get("/{rest:path}", (ctx) => ctx.WriteString(`${ctx.Path()} at ${ctx.Host()}`));
  app.Get("/", (ctx) => ctx.WriteString(`root at ${ctx.Host()}`));
  return app;
}

const moving = ["x/admin?", "x/admin", "x/admin#", "/admin?", "x?/", "x#/", "x/..", "x:80/admin?", "[::1]/admin?"];
const malformed = [
  "x?",
  "x#",
  "a@b",
  "a b",
  "x\\admin",
  "x\\admin?",
  '"x"',
  "<x>",
  "x|y",
  "x^y",
  "{x}",
  "x`y",
  "x\ty",
];

for (const target of ["/public", "/public/a", "/a?b=/c", "/"]) {
  Deno.test(`Application rejects a Host header that moves the path or is malformed, for ${target}`, async () => {
    await overSocket(guarded(), async (_, port) => {
      for (const host of [...moving, ...malformed]) {
        assertEquals(await send(port, target, host), "400 Bad Request", host);
      }
    });
  });
}

Deno.test("Application accepts every Host header that RFC 9112 allows, even after an invalid one", async () => {
  await overSocket(guarded(), async (_, port) => {
    const hosts = [
      "x",
      "a.example.com:81",
      "[::1]:8080",
      "127.0.0.1",
      "xn--bcher-kva.example",
      "a_b.example",
    ];
    for (const host of [...hosts, ...hosts]) {
      assertEquals(await send(port, "/a/b", "x/admin?"), "400 Bad Request");
      assertEquals(await send(port, "/a/b", host), `200 /a/b at ${host}`);
      assertEquals(await send(port, "/", host), `200 root at ${host}`);
    }
    // These are valid hosts according to the standard, but they must not be used in links.
    for (const host of ["a%20b", "a!$&'()*+,;=b", "%"]) assertEquals(await send(port, "/a/b", host), "200 /a/b at ");
  });
});

Deno.test("Application rejects a Host header that moves the path, whether or not handlers read headers", async () => {
  const app = quiet();
  app.Get("/read/{name}", (ctx) => ctx.WriteString(ctx.GetHeader("host")));
  app.Get("/plain/{name}", (ctx) => ctx.WriteString(ctx.Params().Get("name")));
  app.Post("/read/{name}", async (ctx) => ctx.WriteString(await ctx.FormValue("name")));
  await overSocket(app, async (_, port) => {
    for (let time = 0; time < 3; time++) {
      assertEquals(await send(port, "/read/a", "x"), "200 x");
      assertEquals(await send(port, "/plain/a", "x"), "200 a");
      for (const host of ["x/read", "x/plain", "x/plain/a?", "x/read/a#"]) {
        assertEquals(await send(port, "/b", host), "400 Bad Request", host);
        assertEquals(await send(port, "/plain/b", host), "400 Bad Request", host);
      }
    }
  });
});

Deno.test("Application.WrapRouter() does not see a malformed Host header", async () => {
  const app = guarded();
  let seen = 0;
  app.WrapRouter((request, next) => (seen++, next(request)));
  await overSocket(app, async (_, port) => {
    assertEquals(await send(port, "/public", "x/admin?"), "400 Bad Request");
    assertEquals(await send(port, "/public/a", "x"), "200 /public/a at x");
  });
  assertEquals(seen, 1);
});

Deno.test("WithoutHostCheck accepts every Host header, and Context.Host() is empty for a malformed one", async () => {
  await overSocket(guarded(fw.WithoutHostCheck), async (_, port) => {
    assertEquals(await send(port, "/public", "x/admin?"), "200 /admin at x");
    assertEquals(await send(port, "/public", "a@b"), "200 /public at ");
  });
});

Deno.test("Party.Subdomain() ignores a final dot in the host", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(`root ${ctx.SubdomainFull()}`));
  app.Subdomain("admin").Get("/", (ctx) => ctx.WriteString(`admin ${ctx.SubdomainFull()}`));
  app.Subdomain("*").Get("/", (ctx) => ctx.WriteString(`any ${ctx.SubdomainFull()}`));
  await overSocket(app, async (_, port) => {
    assertEquals(await send(port, "/", "example.com."), "200 root ");
    assertEquals(await send(port, "/", "example.com.:80"), "200 root ");
    assertEquals(await send(port, "/", "admin.example.com."), "200 admin admin.");
    assertEquals(await send(port, "/", "a.example.com."), "200 any a.");
  });
});
