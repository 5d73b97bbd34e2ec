import { assertEquals } from "@std/assert";
import { z } from "npm:zod@^4";
import type * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import { type Ask, bothWays, quiet } from "../../serving.ts";

const person = z.object({ name: z.string() });

class PersonController {
  Get(query = mvc.Query(person)): unknown {
    return query;
  }

  Post(form = mvc.Form(person)): unknown {
    return form;
  }
}

/** The ways to read a form field. */
const readers: Record<string, (ctx: fw.Context) => unknown> = {
  "FormValue": (ctx) => ctx.FormValue("name"),
  "PostValue": (ctx) => ctx.PostValue("name"),
  "FormData": async (ctx) => (await ctx.FormData()).get("name"),
  "ReadForm": (ctx) => resultOf(ctx.ReadForm()),
  "ReadForm with a schema": (ctx) => resultOf(ctx.ReadForm(person)),
  "ReadBody": (ctx) => resultOf(ctx.ReadBody(person)),
  "FormResult": async (ctx) => (await ctx.FormResult(person)).Values,
  "FormParts": async (ctx) => {
    for await (const part of ctx.FormParts()) return await part.Text();
  },
};

async function resultOf(result: Promise<fw.Result<unknown>>): Promise<unknown> {
  const [value, error] = await result;
  if (error !== null) throw error;
  return value;
}

function newApp(): fw.Application {
  const app = quiet();
  for (const [name, read] of Object.entries(readers)) {
    app.Post(`/${name.replaceAll(" ", "-")}`, async (ctx) => ctx.JSON(await read(ctx)));
  }
  app.Get("/query", async (ctx) => ctx.JSON(await resultOf(ctx.ReadQuery(person))));
  app.Get("/raw", (ctx) => ctx.JSON(ctx.URLParam("name")));
  app.Post("/upload", async (ctx) => ctx.Text(await (await ctx.FormFile("file"))[0]?.text() ?? ""));
  mvc.New(app.Party("/mvc")).Handle(PersonController);
  return app;
}

const urlencoded = "application/x-www-form-urlencoded";

function multipart(disposition: string, text: string): string {
  return `--X\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}\r\n--X--\r\n`;
}

/** Sends a form in both encodings. */
async function statusesOf(ask: Ask, path: string, name: string, value: string): Promise<number[]> {
  const bodies = [
    [urlencoded, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
    [urlencoded, `${name}=${value}`],
    ["multipart/form-data; boundary=X", multipart(`name="${name}"`, value)],
  ] as const;
  const sent = bodies.map(([type, body]) => ask(path, { method: "POST", headers: { "content-type": type }, body }));
  return (await Promise.all(sent)).map(({ status }) => status);
}

bothWays(
  "a form field with a NUL character is rejected with 400, regardless of how it is read",
  newApp,
  async (ask) => {
    for (const path of [...Object.keys(readers).map((name) => `/${name.replaceAll(" ", "-")}`), "/mvc"]) {
      const isParts = path === "/FormParts";
      const statuses = async (value: string) => (await statusesOf(ask, path, "name", value)).slice(isParts ? 2 : 0);
      assertEquals(await statuses("Rex"), isParts ? [200] : [200, 200, 200], path);
      for (const value of ["Rex\0", "\0", "Rex\0<b>"]) {
        assertEquals(await statuses(value), isParts ? [400] : [400, 400, 400], path);
      }
    }
    assertEquals(await statusesOf(ask, "/FormValue", "name\0", "Rex"), [400, 400, 400], "in a name");
    assertEquals((await ask("/query?name=Rex%00")).status, 400);
    assertEquals((await ask("/mvc?name=Rex%00")).status, 400);
    assertEquals((await ask("/query?name=%2500")).text, '{"name":"%00"}');
    assertEquals((await ask("/raw?name=Rex%00")).text, '"Rex\\u0000"');
  },
);

bothWays("a file may contain NUL characters", newApp, async (ask) => {
  const body = multipart('name="file"; filename="a.bin"', "a\0b");
  const headers = { "content-type": "multipart/form-data; boundary=X" };
  assertEquals((await ask("/upload", { method: "POST", headers, body })).text, "a\0b");
});
