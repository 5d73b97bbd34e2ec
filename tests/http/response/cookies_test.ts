import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { askOverSocket, bothWays, quiet } from "../../serving.ts";

/** Sends a request in process and returns the Set-Cookie lines. */
async function sent(write: (ctx: fw.Context) => void, url = "http://localhost/"): Promise<string[]> {
  const app = quiet();
  app.Get("/", write);
  const response = await app.fetch(new Request(url));
  return response.headers.getSetCookie();
}

Deno.test("Context.SetCookie() has safe defaults", async () => {
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "b")), ["a=b; HttpOnly; SameSite=Lax; Path=/"]);
});

Deno.test("Context.SetCookie() adds Secure over TLS and with SameSite=None", async () => {
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "b"), "https://localhost/"), [
    "a=b; Secure; HttpOnly; SameSite=Lax; Path=/",
  ]);
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "b", { SameSite: "None" })), [
    "a=b; Secure; HttpOnly; SameSite=None; Path=/",
  ]);
});

Deno.test("Context.SetCookie() supports every option", async () => {
  const options: fw.CookieOptions = {
    Path: "/x",
    Domain: "example.com",
    MaxAge: 59_001,
    Expires: new Date(0),
    Secure: true,
    HttpOnly: false,
    SameSite: "Strict",
    Partitioned: true,
  };
  const [line = ""] = await sent((ctx) => ctx.SetCookie("a", "b", options));
  assertEquals(
    new Set(line.split("; ")),
    new Set([
      "a=b",
      "Path=/x",
      "Domain=example.com",
      "Max-Age=60",
      "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
      "Secure",
      "SameSite=Strict",
      "Partitioned",
    ]),
  );
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "b", { Secure: false }), "https://localhost/"), [
    "a=b; HttpOnly; SameSite=Lax; Path=/",
  ]);
});

bothWays("Context.SetCookie() and GetCookie() preserve any value", () => {
  const app = quiet();
  const values = [
    "plain",
    "",
    "a b",
    "a;b",
    "a,b",
    'a"b',
    "a\\b",
    "a%b",
    "100%25",
    "a=b=c",
    "grüße",
    "😀",
    "a\r\nb",
    "a\0b",
    " space around ",
    '"quoted"',
    JSON.stringify({ a: [1, "ü"] }),
    "!#$&'()*+-./:<=>?@[]^_`{|}~",
  ];
  app.Get("/set/{n:int}", (ctx) => ctx.SetCookie("c", values[ctx.Params().GetIntDefault("n", 0)] ?? ""));
  app.Get("/get/{n:int}", (ctx) => ctx.JSON(ctx.GetCookie("c") === values[ctx.Params().GetIntDefault("n", 0)]));
  app.Get("/count", (ctx) => ctx.JSON(values.length));
  return app;
}, async (ask) => {
  const count = Number((await ask("/count")).text);
  for (let n = 0; n < count; n++) {
    const [line = ""] = (await ask(`/set/${n}`)).headers.getSetCookie();
    const [cookie = ""] = line.split("; ");
    assert(!/[\s"\\,;]|[^ -~]/.test(cookie), cookie);
    assertEquals((await ask(`/get/${n}`, { headers: { cookie } })).text, "true", cookie);
  }
});

Deno.test("Context.SetCookie() writes a lone surrogate as the replacement character", async () => {
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "x\ud800")), ["a=x%EF%BF%BD; HttpOnly; SameSite=Lax; Path=/"]);
});

bothWays("Context.GetCookie() reads cookies set by other software", () => {
  const app = quiet();
  app.Get("/{name}", (ctx) => ctx.JSON(ctx.GetCookie(ctx.Params().Get("name"))));
  return app;
}, async (ask) => {
  const get = async (name: string, cookie: string) => JSON.parse((await ask(`/${name}`, { headers: { cookie } })).text);
  assertEquals(await get("a", "a=1; b=2"), "1");
  assertEquals(await get("b", "a=1; b=2"), "2");
  assertEquals(await get("b", "a=1;b=2"), "2");
  assertEquals(await get("c", "a=1; b=2"), "");
  assertEquals(await get("a", "a=50%"), "50%");
  assertEquals(await get("a", "a=%zz"), "%zz");
  assertEquals(await get("a", "a=x=y"), "x=y");
  assertEquals(await get("a", "a="), "");
  assertEquals(await get("a", "a"), "");
  assertEquals(await get("A", "a=1"), "");
  assertEquals(await get("a", ";;;=x; ; a=1"), "1");
  assertEquals(await get("a", "=x; a=1"), "1");
  assertEquals(await get("a", "a=1; a=2"), "1");
  assertEquals(await get("__proto__", "a=1"), "");
  assertEquals(await get("__proto__", "__proto__=1"), "1");
  assertEquals(await get("constructor", "a=1"), "");
  assertEquals(await get("toString", ""), "");
  // Only spaces and tabs are whitespace in a header. Other bytes are part of a name or a value.
  assertEquals(await get("a", "a \t=\t 1 "), "1");
  assertEquals(await get("a", "\xa0a=1; a=3"), "3");
  assertEquals((await get("a", "a=1\xa0")).endsWith("\xa0"), true);
});

bothWays("Context.SetCookie() sends several cookies as separate header fields", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.SetCookie("a", "1");
    ctx.SetCookie("b", "2");
    ctx.WriteString("x");
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).headers.getSetCookie().map((line) => line.slice(0, 3)), ["a=1", "b=2"]);
});

Deno.test("Context.RemoveCookie() makes the client delete the cookie", async () => {
  const [gone = ""] = await sent((ctx) => ctx.RemoveCookie("a"));
  assertEquals(
    new Set(gone.split("; ")),
    new Set(["a=", "HttpOnly", "Max-Age=0", "SameSite=Lax", "Path=/", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"]),
  );
  const [line = ""] = await sent((ctx) => ctx.RemoveCookie("a", { Path: "/x", Domain: "example.com" }));
  assert(line.includes("Path=/x") && line.includes("Domain=example.com"), line);
});

const refusals: [what: string, name: string, options: fw.CookieOptions][] = [
  ["an empty name", "", {}],
  ["a blank in a name", "a b", {}],
  ["a semicolon in a name", "a;b", {}],
  ["an equals sign in a name", "a=b", {}],
  ["a line break in a name", "a\r\nx: 1", {}],
  ["a letter beyond ASCII in a name", "ä", {}],
  ["a semicolon in a path", "a", { Path: "/x; HttpOnly=no" }],
  ["a line break in a path", "a", { Path: "/x\r\nx-injected: 1" }],
  ["a line break in a domain", "a", { Domain: "x\r\nx-injected: 1" }],
  ["a semicolon in a domain", "a", { Domain: "example.com; Path=/evil" }],
  ["a blank in a domain", "a", { Domain: "example .com" }],
  ["a domain with an empty label", "a", { Domain: "a..com" }],
  ["a domain of dots", "a", { Domain: ".." }],
  ["a domain that ends in a dot", "a", { Domain: "example.com." }],
  ["a negative age", "a", { MaxAge: -1 }],
  ["an age that is not a number", "a", { MaxAge: NaN }],
  ["an age without an end", "a", { MaxAge: Infinity }],
  ["a day that is none", "a", { Expires: new Date(NaN) }],
  ["a word that is not a SameSite", "a", { SameSite: "Lax; Domain=evil.example" as "Lax" }],
];

for (const [what, name, options] of refusals) {
  Deno.test(`Context.SetCookie() rejects ${what}`, async () => {
    let thrown: unknown;
    const lines = await sent((ctx) => {
      try {
        ctx.SetCookie(name, "v", options);
      } catch (error) {
        thrown = error;
      }
    });
    assert(thrown instanceof fw.FrameworkError, `${what}: ${lines} ${thrown}`);
    assertEquals(thrown.Code, "FW_COOKIE");
    assertEquals(lines, []);
  });
}

Deno.test("Context.SetCookie() enforces the rules of the prefixes __Host- and __Secure-", async () => {
  assertEquals(await sent((ctx) => ctx.SetCookie("__Host-a", "b", { Path: "/x", Domain: "example.com" })), [
    "__Host-a=b; Secure; HttpOnly; SameSite=Lax; Path=/",
  ]);
  assertEquals(await sent((ctx) => ctx.SetCookie("__Secure-a", "b")), [
    "__Secure-a=b; Secure; HttpOnly; SameSite=Lax; Path=/",
  ]);
});

Deno.test("Context.SetCookie() ignores the scheme in the request line, because plain TCP is not secure", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.SetCookie("a", "1"));
  const listening = Promise.withResolvers<number>();
  const done = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutStartupLog,
    fw.WithOnListen((addr) => listening.resolve((addr as Deno.NetAddr).port)),
  );
  const port = await listening.promise;
  for (const path of ["https://localhost/", "http://localhost/", "/"]) {
    const { status, headers } = await askOverSocket(port, path);
    assertEquals([status, headers.get("set-cookie")], [200, "a=1; HttpOnly; SameSite=Lax; Path=/"], path);
  }
  await app.Shutdown();
  await done;
});
