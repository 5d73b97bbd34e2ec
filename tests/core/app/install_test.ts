import * as fw from "@fw/web";
import * as csrf from "@fw/web/middleware/csrf";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { quiet } from "../../serving.ts";

/** Returns an extension that only has a name. */
function named(Name: string, more: Partial<fw.Extension> = {}): fw.Extension {
  return { Name, Install() {}, ...more };
}

async function textOf(app: fw.Application, path: string, headers: Record<string, string> = {}): Promise<string> {
  return await (await app.fetch(new Request(`http://localhost${path}`, { headers }))).text();
}

Deno.test("Party.Install() returns the value of the extension, with its type", () => {
  const result: { readonly now: number } = quiet().Install({ Name: "clock", Install: () => ({ now: 7 }) });
  assertEquals(result, { now: 7 });
});

Deno.test("Party.Install() gives an extension the application and the party", () => {
  const app = quiet();
  const party = app.Party("/teas");
  const { App, Party, Seam } = party.Install({ Name: "look", Install: (host) => host });
  assertStrictEquals(App as unknown, app);
  assertStrictEquals(Party as unknown, party);
  assertEquals(Seam, 1);
});

Deno.test("Party.Install() refuses a name that is taken on the party, above it or below it, unless it has Many", () => {
  const app = quiet();
  const party = app.Party("/a").Party("/b");
  party.Install(named("flags"));
  for (const taken of [party, party.Party("/c"), app]) {
    assertThrows(() => taken.Install(named("flags")), fw.FrameworkError, 'Cannot install "flags": it is already');
  }
  app.Party("/other").Install(named("flags"));
  app.Install(named("queue", { Many: true }));
  party.Install(named("queue", { Many: true }));
});

Deno.test("Party.Install() names both extensions if one that is needed is missing", () => {
  const app = quiet();
  const needy = named("flags", { Needs: ["tenants"] });
  const error = assertThrows(() => app.Install(needy), fw.FrameworkError);
  assertEquals(error.message, 'Cannot install "flags": it needs "tenants", which is not installed before it');
  app.Party("/a").Install(named("tenants"));
  assertThrows(() => app.Party("/b").Install(needy), fw.FrameworkError, "tenants");
  app.Install({ ...named("tenants"), Many: true });
  app.Party("/b").Install(needy);
});

Deno.test("Party.Install() refuses values that are not extensions, later versions and late installations", async () => {
  const app = quiet();
  for (const wrong of [undefined, null, 5, "x", {}, { Name: "" }, { Name: "x" }, () => {}, { Install() {} }]) {
    assertThrows(() => app.Install(wrong as unknown as fw.Extension), fw.FrameworkError, "Cannot install");
  }
  assertThrows(() => app.Install(named("x", { Seam: 2 })), fw.FrameworkError, "requires version 2 of the host, not 1");
  await app.Build();
  const error = assertThrows(() => app.Install(named("late")), fw.FrameworkError, 'Cannot install "late"');
  assertEquals(error.Code, "FW_STATE");
});

Deno.test("Party.Install() leaves nothing behind if the extension fails", async () => {
  const app = quiet();
  const party = app.Party("/teas");
  const key = fw.Key<string>("tea");
  const failing: fw.Extension = {
    Name: "teas",
    Install(host) {
      host.Page("/page", (ctx) => ctx.WriteString("page"));
      host.Party.Use((ctx) => {
        ctx.Header("x-tea", "yes");
        return ctx.Next();
      });
      host.App.UseRouter((ctx) => ctx.StopWithStatus(418));
      host.App.UseGlobal((ctx) => ctx.StopWithStatus(418));
      host.Party.OnErrorCode(404, (ctx) => ctx.WriteString("no tea"));
      host.Party.Party("/inner").Handle("GET", "/", (ctx) => ctx.WriteString("inner"));
      host.Provide(key, () => "Assam");
      host.Label("tea", () => "Assam", { Log: true });
      host.ViewFunc("tea", () => "Assam");
      host.Check("tea", () => false, "start");
      host.Check("tea", () => false, "ready");
      host.Meter(() => []);
      host.Panel("Tea", () => "Assam");
      host.Run(() => {});
      host.Errors({ TEA_COLD: { Meaning: "The tea is cold", Remedy: "Boil it again" } });
      host.Party.Install(named("nested"));
      throw new RangeError("No tea");
    },
  };
  assertThrows(() => party.Install(failing), RangeError, "No tea");
  const installing = () => party.Install({ ...failing, Install: () => Promise.resolve() as unknown as void });
  assertThrows(installing, fw.FrameworkError, 'its method "Install" is asynchronous');
  assertEquals(app.Extensions(), []);
  assertEquals(app.Routes(), []);
  party.Install(named("teas"));
  party.Install(named("nested"));
  party.Get("/", (ctx) => ctx.WriteString(String(ctx.Values().Get(key))));
  const response = await app.fetch(new Request("http://localhost/teas"));
  assertEquals([response.status, response.headers.get("x-tea"), await response.text()], [200, null, "undefined"]);
  assertEquals(await textOf(app, "/teas/none"), "Not Found");
});

Deno.test("Extend() keeps the extension that a handler already carries", () => {
  const app = fw.New();
  app.Use(fw.Extend(csrf.New(), { Name: "logins", Many: true, Install() {} }));
  assertEquals(app.Extensions().map(({ Name }) => Name), ["logins", "csrf"]);
});

Deno.test("Extend() lets Use, UseRouter, Party, Get and error pages install an extension once per handler", () => {
  const seen: string[] = [];
  const carrying = (name: string) =>
    fw.Extend((ctx: fw.Context) => ctx.Next(), {
      Name: name,
      Many: true,
      Install: (host) => void seen.push(`${name} ${host.Party.Prefix()}`),
    });
  const app = quiet();
  app.Use(carrying("use"));
  app.UseRouter(carrying("router"));
  app.UseGlobal(carrying("global"));
  const party = app.Party("/p", carrying("party"));
  party.Get("/x", carrying("route"), (ctx) => ctx.WriteString("x"));
  party.OnErrorCode(404, carrying("error"));
  party.Done(carrying("done"));
  assertEquals(seen, ["use /", "router /", "global /", "party /", "route /p", "error /p", "done /p"]);
});

Deno.test("Application.Extensions() lists extensions in order, and those of mounted applications with their prefix", () => {
  const inner = quiet();
  inner.Party("/b").Install(named("second"));
  const app = quiet();
  app.Mount("/a", inner);
  app.Mount("/again", inner);
  app.Install(named("first"));
  assertEquals(app.Extensions().map(({ Name, Prefix }) => [Name, Prefix]), [["first", "/"], ["second", "/a/b"]]);
});
