import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import { quiet } from "../serving.ts";

function newApp(options?: fw.HTTPSOptions): fw.Application {
  const app = quiet().Configure(fw.WithProxy({ Trust: ["10.0.0.1"] }));
  app.UseRouter(fw.RedirectToHTTPS(options));
  app.Get("/", (ctx) => ctx.WriteString("page"));
  app.Get("/readyz", (ctx) => ctx.WriteString("ready"));
  return app;
}

async function ask(
  app: fw.Application,
  url: string,
  init: RequestInit = {},
): Promise<readonly [number, string | null]> {
  const response = await app.fetch(new Request(url, init), {
    remoteAddr: { transport: "tcp", hostname: "10.0.0.1", port: 1 },
  });
  await response.body?.cancel();
  return [response.status, response.headers.get("location")];
}

Deno.test("RedirectToHTTPS() redirects plain requests of any method and path, and no others", async () => {
  const app = newApp();
  assertEquals(await ask(app, "http://shop.example:8080/a%20b?q=1"), [308, "https://shop.example/a%20b?q=1"]);
  assertEquals(await ask(app, "http://shop.example/", { method: "POST", body: "x" }), [308, "https://shop.example/"]);
  assertEquals(await ask(app, "https://shop.example/"), [200, null]);
  assertEquals(await ask(app, "http://shop.example/readyz"), [200, null]);
  assertEquals(await ask(app, "http://x/", { headers: { "x-forwarded-proto": "https" } }), [200, null]);
});

Deno.test("RedirectToHTTPS() uses another port, and rejects an invalid one", async () => {
  assertEquals(await ask(newApp({ Port: 8443 }), "http://x/"), [308, "https://x:8443/"]);
  assertEquals(await ask(newApp({ Skip: () => true }), "http://x/"), [200, null]);
  assertThrows(
    () => fw.RedirectToHTTPS({ Port: 0 }),
    fw.FrameworkError,
    '"Port" of RedirectToHTTPS: it must be an integer from 1 to 65535, not 0',
  );
});

Deno.test("RedirectToHTTPS() leads to no other host if that of the request is not valid", async () => {
  assertEquals(await ask(newApp(), "http://a!b/evil.example/x"), [308, "https://localhost/evil.example/x"]);
});

Deno.test("RedirectToHTTPS() keeps the slashes of catch-all values, and the base path", async () => {
  const path = "/to/https://x/%2e/y?z=1";
  assertEquals(await ask(newApp(), `http://shop.example${path}`), [308, "https://shop.example/to/https://x/y?z=1"]);
  const below = newApp().Configure(fw.WithBasePath("/base"));
  assertEquals(await ask(below, `http://x/base${path}`), [308, "https://x/base/to/https://x/y?z=1"]);
  assertEquals(await ask(below, "http://x/%zz"), [308, "https://x/base/%zz"]);
});
