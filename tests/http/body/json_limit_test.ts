import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { bothWays, quiet } from "../../serving.ts";

const headers = { "content-type": "application/json" };

/** Creates JSON of a given size. */
function json(size: number): string {
  return `"${"a".repeat(size - 2)}"`;
}

function newApp(...configurators: fw.Configurator[]): fw.Application {
  const app = quiet().Configure(...configurators);
  const read: fw.Handler = async (ctx) => {
    const [text, error] = await ctx.ReadJSON<string>();
    if (error !== null) return ctx.StopWithText((error as fw.HTTPError).Status, error.message);
    ctx.WriteString(String(text.length + 2));
  };
  app.Post("/", read);
  app.Post("/large", fw.LimitDocument(3 << 20), read);
  app.Post("/small", fw.LimitDocument(100), read);
  app.Post("/small-body", fw.LimitRequestBodySize(100), fw.LimitDocument(1000), read);
  class InController {
    Post(input = mvc.Body(z.string())) {
      return String(input.length + 2);
    }
  }
  mvc.New(app.Party("/mvc")).Handle(InController);
  return app;
}

const cases: readonly (readonly [path: string, size: number, status: number])[] = [
  ["/", 1 << 20, 200],
  ["/", (1 << 20) + 1, 413],
  ["/mvc", 1 << 20, 200],
  ["/mvc", (1 << 20) + 1, 413],
  ["/large", 2 << 20, 200],
  ["/large", (3 << 20) + 1, 413],
  ["/small", 100, 200],
  ["/small", 101, 413],
  ["/small-body", 101, 413],
];

for (const [path, size, status] of cases) {
  bothWays(`ReadJSON() responds with ${status} to ${size} bytes at ${path}`, newApp, async (ask) => {
    const response = await ask(path, { method: "POST", headers, body: json(size) });
    assertEquals(response.status, status);
    if (status === 200) assertEquals(response.text, String(size));
  });
}

Deno.test("ReadJSON() names the options that raise its limit in the error", async () => {
  const request = new Request("http://localhost/", { method: "POST", headers, body: json(2 << 20) });
  const text = await (await newApp().fetch(request)).text();
  assertStringIncludes(text, "fw.LimitDocument");
  assertStringIncludes(text, "fw.WithMaxDocument");
});

Deno.test("ReadJSON() stops at its limit if the body has no declared length", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 64 << 10;
      if (sent > 64 << 20) controller.close();
      else controller.enqueue(new Uint8Array(64 << 10).fill(48));
    },
  }, { highWaterMark: 0 });
  const response = await newApp().fetch(new Request("http://localhost/", { method: "POST", headers, body }));
  assertEquals(response.status, 413);
  assertEquals(sent < 2 << 20, true, `${sent} bytes were read`);
});

Deno.test("WithMaxDocument() sets the limit for all routes", async () => {
  const app = newApp(fw.WithMaxDocument(10));
  const send = async (size: number) =>
    (await app.fetch(new Request("http://localhost/", { method: "POST", headers, body: json(size) }))).status;
  assertEquals([await send(10), await send(11)], [200, 413]);
});
