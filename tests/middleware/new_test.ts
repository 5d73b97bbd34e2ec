import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type * as fw from "../../mod.ts";
import * as sessions from "../../src/state/sessions/mod.ts";
import { quiet } from "../serving.ts";

/** The methods with which the results of `New` are registered, if they are not handlers for `Use`. */
const exceptions: Readonly<Record<string, "Handler" | "Register" | "WrapRouter">> = {
  accesslog: "Handler",
  health: "Register",
  methodoverride: "WrapRouter",
  metrics: "Handler",
  monitor: "Handler",
  oauth: "Handler",
  rewrite: "WrapRouter",
};

/** The options of middleware that requires some. */
const required: Readonly<Record<string, unknown>> = {
  accesslog: { Output: () => {} },
  basicauth: { Users: [{ Name: "ada", Password: "engine" }] },
  ipfilter: { Allow: ["127.0.0.1"] },
  jwt: { Key: "0123456789abcdef0123456789abcdef", Algorithms: ["HS256"], Optional: true },
  oauth: {
    Issuer: "https://login.example",
    ClientID: "tea",
    RedirectURL: "https://app.example/callback",
    Sessions: sessions.New(),
  },
  ratelimit: { Limit: 5, Period: 1000 },
  rewrite: { Rules: [] },
  timeout: { After: 1000 },
};

interface Entry {
  readonly name: string;
  readonly text: string;
  readonly New: ((options?: unknown) => unknown) | undefined;
}

/** Loads the entries `@fw/web/middleware/…`. */
async function entries(): Promise<Entry[]> {
  const root = new URL("../../", import.meta.url);
  const { exports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  const found = Object.entries<string>(exports).filter(([entry]) => entry.startsWith("./middleware/"));
  return await Promise.all(found.map(async ([entry, file]) => {
    const url = new URL(file, root);
    const { New } = await import(url.href);
    return { name: entry.slice("./middleware/".length), text: await Deno.readTextFile(url), New };
  }));
}

Deno.test("New() of a middleware returns a handler, except for those that CONTRIBUTING.md names", async () => {
  const all = await entries();
  assert(all.length > 15);
  // Its functions return the handlers themselves.
  assertEquals(all.filter(({ New }) => New === undefined).map(({ name }) => name), ["auth"]);
  for (const { name, New } of all) {
    if (New === undefined) continue;
    const made = New(required[name]);
    const app = quiet();
    const how = exceptions[name];
    if (how === "WrapRouter") app.WrapRouter(made as fw.RouterWrapper);
    else if (how === "Handler") app.Use((made as { Handler(): fw.Handler }).Handler());
    else if (how === "Register") (made as { Register(app: fw.Application): void }).Register(app);
    else app.Use(made as fw.Handler);
    app.Get("/", (ctx) => ctx.WriteString("tea"));
    const response = await app.fetch(new Request("http://localhost/"), {
      remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
    });
    assertEquals(
      [response.status, await response.text()],
      name === "basicauth" ? [401, "Unauthorized"] : [200, "tea"],
      name,
    );
    assertEquals(typeof made, how === undefined || how === "WrapRouter" ? "function" : "object", name);
    if (how === undefined || how === "WrapRouter") {
      assertEquals((made as fw.Handler).length > 1, how !== undefined, name);
    }
  }
});

Deno.test("The module comment of a middleware says if New() does not return a handler", async () => {
  const contributing = await Deno.readTextFile(new URL("../../.github/CONTRIBUTING.md", import.meta.url));
  const [recipe = ""] = /\*\*A middleware\.\*\*[^]*?\n\n/.exec(contributing) ?? [];
  for (const { name, text } of await entries()) {
    const how = exceptions[name];
    const [comment = ""] = /^\/\*\*[^]*?\*\//.exec(text) ?? [];
    const plain = comment.replaceAll(/\n \* ?/g, " ").replaceAll(/\s+/g, " ");
    assertEquals(plain.includes("instead of a handler"), how !== undefined, name);
    if (how === undefined) continue;
    assertStringIncludes(plain, how === "WrapRouter" ? "`WrapRouter`" : `\`${how}()\``, name);
    assertStringIncludes(recipe, `\`${name}\``);
  }
});
