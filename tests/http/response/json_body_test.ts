import { assertEquals, assertStringIncludes } from "@std/assert";
import type * as fw from "../../../mod.ts";
import { bothWays, logged, quiet } from "../../serving.ts";

/** Counts how often it is serialized and records its value at that time. */
class Counted {
  count = 0;
  value = 1;
  toJSON(): unknown {
    this.count++;
    return { value: this.value };
  }
}

/** Changes to the response, before or after the JSON is written. */
const says: Readonly<Record<string, (ctx: fw.Context) => void>> = {
  nothing: () => {},
  "a header": (ctx) => ctx.Header("x-a", "b"),
  "two headers and a cookie": (ctx) => (ctx.Header("x-a", "b"), ctx.AddHeader("x-a", "c"), ctx.SetCookie("a", "b")),
  "a status": (ctx) => ctx.StatusCode(201),
  "a status and a header": (ctx) => (ctx.StatusCode(201), ctx.Header("x-a", "b")),
  "a content type": (ctx) => ctx.ContentType("application/vnd.api+json"),
};

for (const [what, say] of Object.entries(says)) {
  for (const order of ["before", "after"]) {
    for (const method of ["GET", "HEAD"]) {
      Deno.test(`Context.JSON() serializes once, when it is called, with ${what} set ${order} it, for ${method}`, async () => {
        const value = new Counted();
        const app = quiet();
        app.Get("/", (ctx) => {
          if (order === "before") say(ctx);
          ctx.JSON(value);
          value.value = 2;
          if (order === "after") say(ctx);
        });
        const response = await app.fetch(new Request("http://localhost/", { method }));
        assertEquals(response.status, what.startsWith("a status") ? 201 : 200);
        assertEquals(await response.text(), method === "HEAD" ? "" : '{"value":1}');
        const type = what === "a content type" ? "application/vnd.api+json" : "application/json";
        assertEquals(response.headers.get("content-type"), type);
        if (what.includes("header")) assertStringIncludes(response.headers.get("x-a") ?? "", "b");
        if (method === "HEAD") assertEquals(response.headers.get("content-length"), "11");
        assertEquals(value.count, 1);
      });
    }
  }
}

const pending: Readonly<Record<string, [value: () => unknown, said: string]>> = {
  "a promise": [() => Promise.resolve(1), "the value"],
  "a query builder that acts like one": [() => ({ then: () => {} }), "the value"],
  "an object with a promise": [() => ({ a: 1, user: Promise.resolve(1) }), '"user"'],
  "a list of promises": [() => [1, 2].map((each) => Promise.resolve(each)), "an array item"],
};

for (const [name, [value, said]] of Object.entries(pending)) {
  Deno.test(`Context.JSON() of ${name} throws an error that suggests await`, async () => {
    const { app, lines } = logged();
    app.Get("/", (ctx) => ctx.JSON(value()));
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals([response.status, await response.text()], [500, "Internal Server Error"]);
    assertStringIncludes(
      lines.join(),
      `Cannot serialize JSON: ${said} is a promise, probably because of a missing await`,
    );
  });
}

bothWays("Context.JSON() keeps its length and headers after other changes to the response", () => {
  const app = quiet();
  app.Get("/late", (ctx) => (ctx.JSON({ a: 1 }), ctx.StatusCode(202), ctx.Header("x-a", "b")));
  app.Get("/early", (ctx) => (ctx.StatusCode(202), ctx.Header("x-a", "b"), ctx.JSON({ a: 1 })));
  app.Get("/twice", (ctx) => (ctx.JSON({ a: 1 }), ctx.WriteString("\n"), ctx.JSON({ b: 2n })));
  return app;
}, async (ask) => {
  for (const path of ["/late", "/early"]) {
    const response = await ask(path);
    assertEquals([response.status, response.text, response.headers.get("x-a")], [202, '{"a":1}', "b"]);
  }
  assertEquals((await ask("/twice")).text, '{"b":2}');
});
