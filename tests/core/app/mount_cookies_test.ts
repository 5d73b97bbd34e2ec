import { assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as keys from "@fw/web/keys";
import * as csrf from "@fw/web/middleware/csrf";
import { quiet } from "../../serving.ts";

const ring = keys.New(keys.Generate());

/** The changes of the outer application to its cookies, and the values of `a` and of a signed `s` that are seen inside. */
const changes: Readonly<Record<string, readonly [change: (ctx: fw.Context) => void, seen: string]>> = {
  "nothing": [() => {}, "old,"],
  "sets another cookie": [(ctx) => ctx.SetCookie("b", "1"), "old,"],
  "replaces the cookie": [(ctx) => ctx.SetCookie("a", "new"), "new,"],
  "sets it twice": [(ctx) => {
    ctx.SetCookie("a", "first");
    ctx.SetCookie("a", "second");
  }, "second,"],
  "removes it": [(ctx) => ctx.RemoveCookie("a"), ","],
  "removes and sets it": [(ctx) => {
    ctx.RemoveCookie("a");
    ctx.SetCookie("a", "again");
  }, "again,"],
  "sets it with special characters": [(ctx) => ctx.SetCookie("a", "ü; =,\u{1f375}"), "ü; =,\u{1f375},"],
  "sets a signed cookie": [(ctx) => ctx.SetCookie("s", "sealed", { Sign: ring }), "old,sealed"],
  "sets it with an option for all cookies": [(ctx) => {
    ctx.AddCookieOptions({ Path: "/", SameSite: "Strict" });
    ctx.SetCookie("a", "strict");
  }, "strict,"],
};

const doors: Readonly<Record<string, (inner: fw.Application, outer: fw.Application) => unknown>> = {
  "app.Mount": (inner, outer) => outer.Mount("/", inner.fetch),
  "a mount in a party": (inner, outer) => outer.Party("/p").Mount("/q", inner.fetch),
  "a mount in a mount": (inner, outer) => {
    const middle = quiet();
    middle.Mount("/", inner.fetch);
    outer.Mount("/p/q", middle.fetch);
  },
  "FromFetch": (inner, outer) => {
    outer.Any(
      "/{path:path}",
      fw.FromFetch((request, info) => {
        return inner.fetch(new Request("http://localhost/", request), info);
      }),
    );
  },
  "apps.Switch": (inner, outer) => {
    outer.Mount("/p/q", apps.Switch([{ Pattern: "localhost", Target: inner }]).fetch);
  },
};

for (const [door, connect] of Object.entries(doors)) {
  Deno.test(`${door}: the inner application sees the cookies that the outer one has set or removed`, async () => {
    for (const [name, [change, seen]] of Object.entries(changes)) {
      const inner = quiet();
      inner.Get("/", (ctx) => ctx.WriteString(`${ctx.GetCookie("a")},${ctx.GetCookie("s", { Sign: ring })}`));
      const outer = quiet();
      outer.Use((ctx) => {
        change(ctx);
        return ctx.Next();
      });
      connect(inner, outer);
      const path = door === "app.Mount" ? "" : "p/q";
      const headers = { cookie: "a=old; c=3" };
      const response = await outer.fetch(new Request(`http://localhost/${path}`, { headers }));
      assertEquals(await response.text(), seen, name);
    }
  });
}

Deno.test("Party.Mount() passes a foreign application the cookies as the next request would", async () => {
  const outer = quiet();
  outer.Use((ctx) => {
    ctx.SetCookie("a", "new");
    ctx.RemoveCookie("b");
    return ctx.Next();
  });
  outer.Mount("/m", (request) => new Response(String(request.headers.get("cookie"))));
  const ask = async (init: RequestInit) => await (await outer.fetch(new Request("http://localhost/m", init))).text();
  assertEquals(await ask({ headers: { cookie: "b=1; a=old; c=3; a=older" } }), "c=3; a=new");
  assertEquals(await ask({}), "a=new");
  assertEquals(await ask({ method: "POST", body: "x", headers: { cookie: "b=1" } }), "a=new");
});

Deno.test("Context.GetCookie() sees the cookies that a mounted application has set, and the later one wins", async () => {
  const inner = quiet();
  inner.Get("/", (ctx) => {
    ctx.SetCookie("a", "inner", { Path: "/" });
    ctx.WriteString("inner");
  });
  const outer = quiet();
  const seen: string[] = [];
  outer.Use(async (ctx) => {
    ctx.SetCookie("a", "outer", { Path: "/" });
    ctx.SetCookie("kept", "outer");
    await ctx.Next();
    seen.push(ctx.GetCookie("a"));
    ctx.SetCookie("late", "1");
  });
  outer.Mount("/m", inner.fetch);
  const response = await outer.fetch(new Request("http://localhost/m"));
  const lines = response.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
  assertEquals([seen, lines.toSorted()], [["inner"], ["a=inner", "kept=outer", "late=1"]]);
});

Deno.test("Party.Mount() lets two csrf guards with one cookie agree on its token", async () => {
  const inner = quiet();
  inner.Use(csrf.New());
  inner.Get("/", (ctx) => ctx.WriteString(csrf.Token(ctx)));
  inner.Post("/", (ctx) => ctx.WriteString("done"));
  const outer = quiet();
  outer.Use(csrf.New());
  outer.Use((ctx) => {
    csrf.Token(ctx);
    return ctx.Next();
  });
  outer.Mount("/m", inner.fetch);
  const page = await outer.fetch(new Request("http://localhost/m"));
  const cookies = new Map(
    page.headers.getSetCookie().map((line) => /^(.*?)=(.*?);/.exec(line)?.slice(1) as [string, string]),
  );
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  const headers = { cookie, "x-csrf-token": await page.text() };
  const sent = await outer.fetch(new Request("http://localhost/m", { method: "POST", headers }));
  assertEquals([sent.status, await sent.text()], [200, "done"]);
});
