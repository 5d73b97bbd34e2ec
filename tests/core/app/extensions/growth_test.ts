import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { assertLinear } from "../../../growth.ts";
import { quiet } from "../../../serving.ts";

/** Installs extensions on one application or on a party each. The numbers make their contributions unique. */
type Installing = (app: fw.Application, at: number) => unknown;

function contributing(Name: string, Install: (host: fw.Host) => void): fw.Extension {
  return { Name, Install };
}

const kinds: Readonly<Record<string, Installing>> = {
  "extensions": (app, at) => app.Install(contributing(`e${at}`, () => {})),
  "extensions on parties": (app, at) => app.Party(`/p${at}`).Install(contributing("e", () => {})),
  "error codes": (app, at) =>
    app.Install(contributing(`e${at}`, (host) => host.Errors({ [`E${at}`]: { Meaning: "x", Remedy: "y" } }))),
  "provided values": (app, at) =>
    app.Install(contributing(`e${at}`, (host) => host.Provide(fw.Key(`k${at}`), () => at))),
  "values for jobs": (app, at) =>
    app.Install(
      contributing(`e${at}`, (host) =>
        host.Provide(fw.Key<number>(`k${at}`), () => at, { Encode: (n) => n, Decode: Number })),
    ),
  "view functions": (app, at) => {
    app.Install(contributing(`e${at}`, (host) => host.ViewFunc(`f${at}`, () => at)));
    app.Party(`/p${at}`);
  },
};

for (const [what, add] of Object.entries(kinds)) {
  Deno.test(`Party.Install() and Build() take time linear in the number of ${what}`, async () => {
    const build = async (size: number) => {
      const app = quiet();
      app.RegisterView(fw.HTML("").ParseTemplate("a.html", "a"));
      for (let at = 0; at < size; at++) add(app, at);
      await app.Build();
    };
    await assertLinear(build, { size: 1_000, prepare: (size: number) => size });
  });
}

Deno.test("Party.Install() removes values, functions, codes and names of an extension that fails", async () => {
  const app = quiet();
  const key = fw.Key<string>("k");
  const inner = contributing("inner", () => {});
  const add = (host: fw.Host) => {
    host.Errors({ LATE: { Meaning: "x", Remedy: "y" } });
    host.Provide(key, () => "x", { Encode: (text) => text, Decode: String });
    host.Label("plan", () => "x", {});
    host.ViewFunc("f", () => "x");
    app.Party("/p").Install(inner);
  };
  app.Install(contributing("before", (host) => host.Provide(fw.Key("other"), () => 1)));
  const failing = contributing("one", (host) => {
    add(host);
    throw new Error("boom");
  });
  assertThrows(() => app.Install(failing), Error, "boom");
  // Everything can be used by another extension, whose name was not taken either.
  app.Install(contributing("one", () => {}));
  app.Install(contributing("two", add));
  app.Get("/", (ctx) => ctx.WriteString(ctx.Values().Get(key) ?? ""));
  assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), "x");
  assertEquals(app.Extensions().map(({ Name }) => Name), ["before", "one", "two", "inner"]);
});
