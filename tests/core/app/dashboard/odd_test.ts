import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { addSecret } from "../../../../src/base/log/secrets.ts";
import { type Ask, logged, overSocket } from "../../../serving.ts";

const json = { headers: { accept: "application/json" } };
const html = { headers: { accept: "text/html" } };

function developed(): fw.Application {
  return logged(fw.New().Configure(fw.WithDevelopment)).app;
}

async function data(ask: Ask, path: string) {
  return JSON.parse((await ask(`/_fw/${path}`, json)).text);
}

const circle = new Error("circle");
circle.cause = circle;

/** Values that handlers throw, and a part of the error page. */
const thrown: Readonly<Record<string, readonly [value: unknown, shown: string]>> = {
  "a string": ["cold pot", "cold pot"],
  "null": [null, "null"],
  "undefined": [undefined, "A value that is not an Error was thrown"],
  "an object": [{ pot: "cold" }, "cold"],
  "a symbol": [Symbol("pot"), "Symbol(pot)"],
  "an error that caused itself": [circle, "circle"],
  "a frozen error": [Object.freeze(new Error("frozen pot")), "frozen pot"],
  "an error without a stack": [Object.assign(new Error("no stack"), { stack: undefined }), "no stack"],
};

Deno.test("the error page and the problems show any thrown value", async (test) => {
  for (const [name, [value, shown]] of Object.entries(thrown)) {
    await test.step(name, async () => {
      const app = developed();
      app.Get("/", () => {
        throw value;
      });
      await overSocket(app, async (ask) => {
        const page = await ask("/", html);
        assertEquals(page.status, 500);
        assertStringIncludes(page.text, shown);
        // The source of fw would not help.
        assertEquals(page.text.includes("<mark>"), value instanceof Error && value.stack !== undefined);
        assertEquals([(await data(ask, "requests"))[0].Status, (await ask("/_fw/problems")).status], [500, 200]);
      });
    });
  }
});

Deno.test("the error page hides credentials in headers, addresses, messages and causes", async () => {
  const secret = `pot-${crypto.randomUUID()}`;
  addSecret(secret);
  const app = developed();
  app.Get("/", () => {
    throw new Error(`Cannot pour ${secret}`, { cause: new Error(`The pot is ${secret}`) });
  });
  await overSocket(app, async (ask) => {
    const headers = {
      ...html.headers,
      "x-auth-token": "pot-secret",
      "x-csrf-token": "pot-secret",
      cookie: "a=pot-secret",
    };
    const { text } = await ask("/?token=pot-secret&tea=1", { headers });
    assertStringIncludes(text, "Cannot pour …");
    assertStringIncludes(text, "The pot is …");
    assertStringIncludes(text, "token=(hidden)&amp;tea=1");
    assertEquals([text.includes("pot-secret"), text.includes(secret)], [false, false], text);
  });
});

Deno.test("the error page limits a message of any length", async () => {
  const app = developed();
  app.Get("/", () => {
    throw new Error("x".repeat(3_000_000));
  });
  await overSocket(app, async (ask) => {
    const { text } = await ask("/", html);
    assert(text.length < 100_000, `${text.length} characters`);
    assertStringIncludes(text, "x…");
  });
});

Deno.test("/_fw shows requests with odd paths, headers and methods", async (test) => {
  const paths = [`/${"p".repeat(8_000)}`, "//evil.example/x", "/%3Cb%3E?%22=%27&[]={}", "/a%00b", "/%F0%9F%8D%B5"];
  const app = developed();
  app.Any("/{rest:path}", (ctx) => ctx.WriteString("tea"));
  await overSocket(app, async (ask) => {
    for (const path of paths) {
      await test.step(path.slice(0, 30), async () => {
        await ask(path, { method: "DELETE", headers: { "x-tea": "\u00e9 \t <b>" } });
        const [{ ID }] = await data(ask, "requests");
        const page = await ask(`/_fw/requests/${ID}`);
        assertEquals([page.status, page.text.includes("<b>", page.text.indexOf("<main"))], [200, false]);
        assertEquals((await ask(`/_fw/requests/${ID}`, json)).status, 200);
      });
    }
  });
});

Deno.test("/_fw opens panels whose titles are not ASCII", async () => {
  const app = developed();
  app.Install({ Name: "pots", Install: (host) => host.Panel("Töpfe & <b>", () => "blue pot") });
  await overSocket(app, async (ask) => {
    const [, path = ""] = /href="([^"]*\/t[^"]*pfe-b)"/.exec((await ask("/_fw/routes")).text) ?? [];
    assertStringIncludes((await ask(new URL(path, "http://localhost").pathname)).text, "blue pot");
  });
});

Deno.test("/_fw refuses bodies that are not forms, and other methods", async () => {
  await overSocket(developed(), async (ask) => {
    const headers = { "content-type": "application/json" };
    assertEquals((await ask("/_fw/requests", { method: "POST", body: "{}", headers })).status, 403);
    assertEquals((await ask("/_fw/requests", { method: "POST", body: "" })).status, 403);
    assertEquals((await ask("/_fw/requests", { method: "PUT" })).status, 405);
    assertEquals((await ask("/_fw/requests", { method: "HEAD" })).status, 200);
  });
});

Deno.test("/_fw counts a warning that is repeated, and shows a request that has not ended", async () => {
  const app = developed();
  const end = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  app.Get("/loop", (ctx) => {
    for (let line = 0; line < 300; line++) ctx.Logger().Warn("The pot is cold");
    ctx.WriteString("tea");
  });
  app.Get("/never", async (ctx) => {
    began.resolve();
    await end.promise;
    ctx.WriteString("tea");
  });
  await overSocket(app, async (ask) => {
    await ask("/loop");
    const problems: { Times: number; Place: string }[] = await data(ask, "problems");
    assertEquals(problems.reduce((sum, { Times }) => sum + Times, 0), 300);
    assert(problems.some(({ Place }) => /odd_test\.ts:\d+$/.test(Place)));
    const late = ask("/never");
    await began.promise;
    const [{ ID, Status, Took }] = await data(ask, "requests");
    assertEquals([Status, Took], [0, "…"]);
    assertMatch((await ask(`/_fw/requests/${ID}`)).text, /<td>…<\/td>/);
    end.resolve();
    assertEquals((await late).text, "tea");
  });
});

Deno.test("/_fw has the panels and requests of an application that mounts two others with fw.WithDevelopment", async () => {
  const app = developed();
  for (const name of ["blue", "green"]) {
    const inner = developed();
    inner.Get("/pot", (ctx) => ctx.WriteString(name));
    inner.Get("/broken", () => {
      throw new Error(`${name} is broken`);
    });
    app.Mount(`/${name}`, inner);
  }
  await overSocket(app, async (ask) => {
    assertEquals([(await ask("/blue/pot")).text, (await ask("/green/pot")).text], ["blue", "green"]);
    const page = await ask("/green/broken", html);
    assertStringIncludes(page.text, '<a href="/_fw/requests/3">Timeline of this request</a>');
    const entries: { Path: string; Status: number }[] = await data(ask, "requests");
    assertEquals(entries.map(({ Path, Status }) => `${Path} ${Status}`), [
      "/green/broken 500",
      "/green/pot 200",
      "/blue/pot 200",
    ]);
    const problems: { Text: string }[] = await data(ask, "problems");
    assert(problems.some(({ Text }) => Text.includes("green is broken")), JSON.stringify(problems));
  });
});
