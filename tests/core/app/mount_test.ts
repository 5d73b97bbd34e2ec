import * as fw from "@fw/web";
import { assertEquals, assertThrows } from "@std/assert";
import { Hono } from "npm:hono@4.13.17";
import { bothWays, overSocket, quiet } from "../../serving.ts";

function hono(): fw.ForeignFetch {
  const app = new Hono();
  app.get("/", (c) => c.text("root"));
  app.get("/shop/:id", (c) => c.text(`shop ${c.req.param("id")} ${c.req.query("q") ?? ""}`));
  app.post("/echo", async (c) => c.text(await c.req.text()));
  return (request) => app.fetch(request);
}

bothWays(
  "Party.Mount() passes requests to another application without the prefix",
  () => {
    const app = quiet();
    app.Party("/v1").Mount("/ho no", hono());
    app.Mount("/old", hono());
    return app;
  },
  async (ask) => {
    assertEquals((await ask("/old")).text, "root");
    assertEquals((await ask("/old/shop/7?q=x")).text, "shop 7 x");
    assertEquals((await ask("/v1/ho%20no/shop/a%2Fb")).text, "shop a/b ");
    assertEquals((await ask("/old/echo", { method: "POST", body: "text" })).text, "text");
    assertEquals((await ask("/older")).status, 404);
  },
);

Deno.test("Party.Mount() applies the body limit", async () => {
  const app = quiet();
  app.Use(fw.LimitRequestBodySize(10));
  app.Mount("/old", hono());
  await overSocket(app, async (_ask, port) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(100));
        controller.close();
      },
    });
    const response = await fetch(`http://127.0.0.1:${port}/old/echo`, { method: "POST", body });
    await response.body?.cancel();
    assertEquals(response.status >= 400, true);
  });
});

bothWays(
  "Party.Handle() accepts any method, and Any() serves all of them",
  () => {
    const app = quiet();
    app.Handle("PROPFIND", "/files", (ctx) => ctx.WriteString(ctx.Method()));
    app.Any("/any", (ctx) => ctx.WriteString(ctx.Method()));
    app.Get("/get", (ctx) => ctx.WriteString("get"));
    return app;
  },
  async (ask) => {
    assertEquals((await ask("/files", { method: "PROPFIND" })).text, "PROPFIND");
    assertEquals((await ask("/any", { method: "MKCOL" })).text, "MKCOL");
    assertEquals((await ask("/any", { method: "PATCH" })).text, "PATCH");
    assertEquals((await ask("/get", { method: "MKCOL" })).status, 405);
    const refused = await ask("/files");
    assertEquals([refused.status, refused.headers.get("allow")], [405, "OPTIONS, PROPFIND"]);
  },
);

Deno.test("Party.Handle() rejects invalid methods", () => {
  assertThrows(() => quiet().Handle("BAD METHOD", "/", () => {}), Error, "is not an HTTP method");
});

bothWays(
  "Context.FormData() returns the platform's FormData",
  () => {
    const app = quiet();
    app.Post("/", async (ctx) => {
      const form = await ctx.FormData();
      const file = form.get("file");
      ctx.JSON({
        names: form.getAll("name"),
        file: file instanceof File ? [file.name, await file.text()] : null,
      });
    });
    return app;
  },
  async (ask) => {
    const boundary = "----x";
    const part = (head: string, text: string) =>
      `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
    const body = part('name="name"', "Ada") + part('name="name"', "Bob") +
      part('name="file"; filename="a.txt"', "text") + `--${boundary}--\r\n`;
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
    const response = await ask("/", { method: "POST", headers, body });
    assertEquals(JSON.parse(response.text), { names: ["Ada", "Bob"], file: ["a.txt", "text"] });
  },
);

Deno.test("fw.FromFetch() turns a fetch function into a handler that runs after the party's middleware", async () => {
  const app = quiet();
  app.Use((ctx) => {
    ctx.Header("x-before", "1");
    return ctx.Next();
  });
  app.Post("/echo", fw.FromFetch(async (request) => new Response(`${request.method} ${await request.text()}`)));
  const response = await app.fetch(new Request("http://localhost/echo", { method: "POST", body: "tea" }));
  assertEquals([await response.text(), response.headers.get("x-before")], ["POST tea", "1"]);
});

Deno.test("Party.Mount() accepts an application and rejects other objects", async () => {
  const inner = quiet();
  inner.Get("/tea", (ctx) => ctx.WriteString("Assam"));
  const app = quiet();
  app.Mount("/old", inner);
  assertEquals(await (await app.fetch(new Request("http://localhost/old/tea"))).text(), "Assam");
  const mount = () => quiet().Mount("/old", {} as unknown as fw.ForeignFetch);
  assertThrows(mount, fw.FrameworkError, "Cannot register the mount at /old: handler 1 is ");
});

Deno.test("Party.Mount() keeps the length of a response, which needs no stream", async () => {
  const [app, inner] = [quiet(), quiet()];
  inner.Get("/text", (ctx) => ctx.WriteString("Assam"));
  inner.Get("/json", (ctx) => ctx.JSON({ tea: 1 }));
  app.Mount("/in", inner);
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/in/text")).headers.get("content-length"), "5");
    assertEquals((await ask("/in/json")).headers.get("content-length"), "9");
  });
});
