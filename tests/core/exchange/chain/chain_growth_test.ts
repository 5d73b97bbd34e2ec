import { assertEquals } from "@std/assert";
import type * as fw from "../../../../mod.ts";
import { assertLinear } from "../../../growth.ts";
import { quiet } from "../../../serving.ts";

/** Middleware that calls the next handler in different ways. */
const layers: Readonly<Record<string, fw.Handler>> = {
  "awaits the next handler": async (ctx) => {
    await ctx.Next();
  },
  "awaits something before the next handler": async (ctx) => {
    await Promise.resolve();
    await ctx.Next();
  },
  "does not await the next handler": async (ctx) => {
    ctx.Next();
    await Promise.resolve();
  },
  "is synchronous": (ctx) => {
    ctx.Next();
  },
  "returns the result of the next handler": (ctx) => ctx.Next(),
  "handles the error of the next handler": async (ctx) => {
    try {
      await ctx.Next();
    } catch (error) {
      throw error;
    }
  },
};

/** The last handlers, by the status of the response. */
const last: Readonly<Record<number, fw.Handler>> = {
  200: async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("x");
  },
  500: async () => {
    await Promise.resolve();
    throw new Error("no");
  },
};

async function newApp(layer: fw.Handler, handler: fw.Handler, size: number): Promise<fw.Application> {
  const app = quiet();
  for (let i = 0; i < size; i++) app.Use((ctx) => layer(ctx));
  app.Get("/", handler);
  await app.Build();
  return app;
}

for (const [what, layer] of Object.entries(layers)) {
  for (const [status, handler] of Object.entries(last)) {
    Deno.test(`Handler chain takes time linear in the middleware that ${what}, with status ${status}`, async () => {
      const apps = new Map<number, fw.Application>();
      for (const size of [400, 1_600]) apps.set(size, await newApp(layer, handler, size));
      await assertLinear(async (size) => {
        for (let i = 0; i < 5; i++) {
          const response = await apps.get(size)?.fetch(new Request("http://localhost/"));
          assertEquals(response?.status, Number(status));
        }
      }, { size: 400, prepare: (size: number) => size });
    });
  }
}
