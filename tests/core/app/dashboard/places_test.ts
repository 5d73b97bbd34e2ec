import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import * as fw from "../../../../mod.ts";
import { registryOf } from "../../../../src/core/app/party.ts";
import { editorLink } from "../../../../src/core/app/dashboard/editor_link.ts";
import { type Ask, logged, overSocket } from "../../../serving.ts";

const json = { headers: { accept: "application/json" } };

async function data(ask: Ask, path: string) {
  return JSON.parse((await ask(`/_fw/${path}`, json)).text);
}

function developed(): fw.Application {
  return logged(fw.New().Configure(fw.WithDevelopment)).app;
}

const program = `
import * as fw from "${import.meta.resolve("../../../../mod.ts")}";
export const app = fw.New().Configure(fw.WithDevelopment, fw.WithCharset("latin1"));
app.Logger().SetOutput(() => {});
app.Get("/warm", (ctx) => { ctx.Logger().Warn("The pot is cold"); ctx.WriteString("tea"); });
app.Get("/broken", () => { throw new Error("The pot is broken"); });
`;

Deno.test("/_fw shows and links the files of a folder whose name has spaces and other characters", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw 100% #é " });
  try {
    const file = join(folder, "main.ts");
    await Deno.writeTextFile(file, program);
    const { app } = await import(toFileUrl(file).href);
    await overSocket(app, async (ask) => {
      await ask("/warm");
      const failure = (await ask("/broken", { headers: { accept: "text/html" } })).text;
      const place = async (panel: string, list: (data: unknown) => Record<string, unknown>[], text: string) => {
        return list(await data(ask, panel)).find((row) => JSON.stringify(row).includes(text))?.["Place"];
      };
      const rows = (found: unknown) => found as Record<string, unknown>[];
      assertEquals(await place("problems", rows, "The pot is cold"), `${file}:5`);
      assertEquals(await place("routes", rows, "/warm"), `${file}:5`);
      const options = (found: unknown) => rows(Reflect.get(Object(found), "Options"));
      assertEquals(await place("settings", options, "latin1"), `${file}:3`);
      for (const page of [(await ask("/_fw/problems")).text, (await ask("/_fw/routes?path=/warm")).text, failure]) {
        assertStringIncludes(page, `file${toFileUrl(file).pathname}:`);
        assert(!page.includes("%2520"), page);
      }
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("editorLink() does not link what is not a file", () => {
  assertEquals(editorLink("https://example.com/x.ts:3"), "https://example.com/x.ts:3");
  assertEquals(editorLink("ext:core/01_core.js:9"), "ext:core/01_core.js:9");
  assertStringIncludes(editorLink("C:\\tea pots\\x.ts:3"), "/C:/tea%20pots/x.ts:3");
});

Deno.test("Application.Configure() keeps nothing outside of development", () => {
  const app = fw.New().Configure(fw.WithCharset("latin1")).Configure(fw.WithMaxBody(7_000));
  assertEquals(registryOf(app).settings, []);
});

Deno.test("/_fw shows the warnings of mounted applications outside of requests, once", async () => {
  const app = developed();
  const [inner, plain, innermost] = [developed(), logged(fw.New()).app, logged(fw.New()).app];
  plain.Get("/pot", (ctx) => {
    ctx.Logger().Warn("The plain pot is cold");
    ctx.WriteString("tea");
  });
  plain.Mount("/deep", innermost);
  app.Mount("/inner", inner);
  app.Mount("/plain", plain);
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/plain/pot")).text, "tea");
    for (const [name, each] of Object.entries({ inner, plain, innermost })) {
      each.Logger().Warn(`The ${name} app is cold`);
    }
    const problems: { Text: string; Times: number; Request: number }[] = await data(ask, "problems");
    assertEquals(
      problems.map(({ Text, Times, Request }) => `${Text} ${Times} ${Request}`),
      [
        "The innermost app is cold 1 0",
        "The plain app is cold 1 0",
        "The inner app is cold 1 0",
        "The plain pot is cold 1 1",
      ],
    );
    const { Events } = await data(ask, "requests/1");
    assertEquals(Events.filter(({ Kind }: { Kind: string }) => Kind === "log").length, 1);
  });
});

Deno.test("fw.WithDevelopment warns of a route that the development pages hide", async () => {
  const { app, lines } = logged(fw.New().Configure(fw.WithDevelopment));
  app.Get("/_fw/teas", (ctx) => ctx.WriteString("tea"));
  app.Get("/_fwd", (ctx) => ctx.WriteString("forward"));
  app.Get("/{path:path}", (ctx) => ctx.WriteString("any"));
  await app.Build();
  const found = lines.filter((line) => line.includes("/_fw"));
  assertEquals(found.length, 1, lines.join("\n"));
  assertStringIncludes(found[0] ?? "", 'The development pages at /_fw hide the route "GET /_fw/teas"');
  assertEquals(await (await app.fetch(new Request("http://localhost/_fwd"))).text(), "forward");
});
