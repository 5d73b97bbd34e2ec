import { assert, assertEquals, assertMatch } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import * as fw from "../../mod.ts";
import * as keys from "../../src/keys/mod.ts";
import { askOverSocket, bothWays, quiet } from "../serving.ts";

/** Asks in process and returns the Set-Cookie lines. */
async function sent(write: (ctx: fw.Context) => void, url = "http://localhost/"): Promise<string[]> {
  const app = quiet();
  app.Get("/", write);
  const response = await app.fetch(new Request(url));
  return response.headers.getSetCookie();
}

Deno.test("Context.SetCookie() has safe defaults", async () => {
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "b")), ["a=b; HttpOnly; SameSite=Lax; Path=/"]);
});

Deno.test("Context.SetCookie() is Secure over TLS and where other sites may send it", async () => {
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "b"), "https://localhost/"), [
    "a=b; Secure; HttpOnly; SameSite=Lax; Path=/",
  ]);
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "b", { SameSite: "None" })), [
    "a=b; Secure; HttpOnly; SameSite=None; Path=/",
  ]);
});

Deno.test("Context.SetCookie() takes every option", async () => {
  const options: fw.CookieOptions = {
    Path: "/x",
    Domain: "example.com",
    MaxAge: 60,
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

bothWays("Context.SetCookie() and GetCookie() carry any value there and back", () => {
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

Deno.test("Context.SetCookie() writes half of a letter as the sign for what cannot be read", async () => {
  assertEquals(await sent((ctx) => ctx.SetCookie("a", "x\ud800")), ["a=x%EF%BF%BD; HttpOnly; SameSite=Lax; Path=/"]);
});

bothWays("Context.GetCookie() reads what others set", () => {
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
  // Only spaces and tabs are blanks of a header: other bytes are part of a name or a value.
  assertEquals(await get("a", "a \t=\t 1 "), "1");
  assertEquals(await get("a", "\xa0a=1; a=3"), "3");
  assertEquals((await get("a", "a=1\xa0")).endsWith("\xa0"), true);
});

bothWays("Context.SetCookie() sends several cookies as several lines", () => {
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

Deno.test("Context.RemoveCookie() makes the client forget", async () => {
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
  ["an age with a fraction", "a", { MaxAge: 1.5 }],
  ["a day that is none", "a", { Expires: new Date(NaN) }],
  ["a word that is not a SameSite", "a", { SameSite: "Lax; Domain=evil.example" as "Lax" }],
];

for (const [what, name, options] of refusals) {
  Deno.test(`Context.SetCookie() refuses ${what}`, async () => {
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

Deno.test("Context.SetCookie() keeps the promises of the prefixes __Host- and __Secure-", async () => {
  assertEquals(await sent((ctx) => ctx.SetCookie("__Host-a", "b", { Path: "/x", Domain: "example.com" })), [
    "__Host-a=b; Secure; HttpOnly; SameSite=Lax; Path=/",
  ]);
  assertEquals(await sent((ctx) => ctx.SetCookie("__Secure-a", "b")), [
    "__Secure-a=b; Secure; HttpOnly; SameSite=Lax; Path=/",
  ]);
});

Deno.test("Context.SetCookie() is not fooled by a scheme in the request line: plain TCP is not secure", async () => {
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

const ring = keys.New("1".repeat(32));
const other = keys.New("2".repeat(32));
const seals: [name: string, seal: fw.CookieSeal, foreign: fw.CookieSeal][] = [
  ["Sign", { Sign: ring }, { Sign: other }],
  ["Encrypt", { Encrypt: ring }, { Encrypt: other }],
];

/** The line that sends a cookie, and its pair. */
async function sentSealed(
  name: string,
  value: string,
  options: fw.CookieOptions,
): Promise<{ line: string; pair: string }> {
  const app = quiet();
  app.Get("/", (ctx) => ctx.SetCookie(name, value, options));
  const line = (await app.fetch(new Request("http://localhost/"))).headers.get("set-cookie") ?? "";
  return { line, pair: line.split(";")[0] ?? "" };
}

async function read(cookie: string, name: string, seal?: fw.CookieSeal): Promise<string> {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(ctx.GetCookie(name, seal)));
  return await (await app.fetch(new Request("http://localhost/", { headers: { cookie } }))).text();
}

for (const [kind, seal, foreign] of seals) {
  Deno.test(`Context.GetCookie() with ${kind} gives back what SetCookie() sealed, whatever it holds`, async () => {
    for (const value of ["user=1", "", "a.b.c", '%41;," \\', "ö \u{1f42f}", "x".repeat(2000)]) {
      const { pair } = await sentSealed("c", value, seal);
      assertEquals(await read(pair, "c", seal), value);
    }
  });

  Deno.test(`Context.GetCookie() with ${kind} is empty for a cookie that was changed, forged or moved`, async () => {
    const { pair } = await sentSealed("c", "user=1", seal);
    assertEquals(await read(pair.replace("c=", "d="), "d", seal), "", "moved to another name");
    assertEquals(await read(pair, "c", foreign), "", "other keys");
    assertEquals(await read("c=user%3D1", "c", seal), "", "not sealed");
    assertEquals(await read("c=", "c", seal), "");
    assertEquals(await read("", "c", seal), "");
    for (let at = 2; at < pair.length; at += 7) {
      const changed = pair.slice(0, at) + (pair[at] === "A" ? "B" : "A") + pair.slice(at + 1);
      assertEquals(await read(changed, "c", seal), "", changed);
    }
  });

  Deno.test(`Context.GetCookie() with ${kind} passes over cookies of the name that a sibling planted`, async () => {
    const { pair } = await sentSealed("c", "mine", seal);
    assertEquals(await read(`c=planted; ${pair}; c=another`, "c", seal), "mine");
  });

  Deno.test(`Context.SetCookie() with ${kind} counts no longer than its age, whatever the client does`, async () => {
    using time = new FakeTime();
    const [aged, dated] = [
      await sentSealed("c", "v", { ...seal, MaxAge: 60 }),
      await sentSealed("c", "v", { ...seal, Expires: new Date(Date.now() + 60_000) }),
    ];
    time.tick(50_000);
    assertEquals([await read(aged.pair, "c", seal), await read(dated.pair, "c", seal)], ["v", "v"]);
    time.tick(12_000);
    assertEquals([await read(aged.pair, "c", seal), await read(dated.pair, "c", seal)], ["", ""]);
  });

  Deno.test(`Context.SetCookie() with ${kind} keeps the attributes, and RemoveCookie() removes it`, async () => {
    const { line } = await sentSealed("c", "v", { ...seal, MaxAge: 60, Path: "/x", SameSite: "Strict" });
    assertMatch(line, /; HttpOnly; Max-Age=60; SameSite=Strict; Path=\/x$/);
    const app = quiet();
    app.Get("/", (ctx) => ctx.RemoveCookie("c", seal));
    const removal = (await app.fetch(new Request("http://localhost/"))).headers.get("set-cookie") ?? "";
    assertMatch(removal, /^c=; .*Max-Age=0/);
  });
}

Deno.test("Context.SetCookie() with Sign leaves the value readable, with Encrypt not", async () => {
  assert((await sentSealed("c", "secret", { Sign: ring })).pair.includes("secret"));
  assert(!(await sentSealed("c", "secret", { Encrypt: ring })).pair.includes("secret"));
});

Deno.test("Context.SetCookie() rotates keys: a ring reads what its older keys sealed", async () => {
  const rotated = keys.New("2".repeat(32), "1".repeat(32));
  const { pair } = await sentSealed("c", "v", { Encrypt: ring });
  assertEquals(await read(pair, "c", { Encrypt: rotated }), "v");
  const fresh = await sentSealed("c", "v", { Encrypt: rotated });
  assertEquals(await read(fresh.pair, "c", { Encrypt: other }), "v");
});

Deno.test("Context.SetCookie() refuses both seals at once", async () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    try {
      ctx.SetCookie("c", "v", { Sign: ring, Encrypt: ring });
    } catch (error) {
      ctx.WriteString(error instanceof fw.FrameworkError ? error.message : "");
    }
  });
  const text = await (await app.fetch(new Request("http://localhost/"))).text();
  assertEquals(text, 'Cannot send the cookie "c": what is encrypted needs no signature');
});
