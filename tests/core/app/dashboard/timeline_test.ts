import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { exchangeOf } from "../../../../src/core/context/context.ts";
import { beforeResponse } from "../../../../src/core/exchange/ending/end_tasks.ts";
import { type Ask, logged, overSocket } from "../../../serving.ts";

interface Entry {
  readonly Size: number | undefined;
  readonly Events: readonly { Kind: string; Text: string; At: number; Took?: number }[];
}

async function entryOf(ask: Ask, id: number): Promise<Entry> {
  return JSON.parse((await ask(`/_fw/requests/${id}`, { headers: { accept: "application/json" } })).text);
}

class Pots {
  readonly count = 2;
}

function newApp(): fw.Application {
  const { app } = logged(fw.New().Configure(fw.WithDevelopment));
  app.RegisterView(fw.HTML("").ParseTemplate("tea", "<h1>Tea for <%= it.count %></h1>"));
  async function guest(_ctx: fw.Context, pots = mvc.Inject(Pots)): Promise<{ count: number }> {
    return await Promise.resolve(pots);
  }
  class TeaController {
    pots = mvc.Inject(Pots);
    guest = mvc.Inject(guest);
    ctx = mvc.Inject(fw.Context);

    async Get(): Promise<void> {
      await this.ctx.View("tea", { count: this.guest.count });
    }
  }
  app.Use(async function steep(ctx) {
    await ctx.Next();
  });
  mvc.New(app.Party("/tea")).Register(Pots, guest).Handle(TeaController);
  app.Get("/json", (ctx) => ctx.JSON({ tea: "Grüner" }));
  app.Get("/text", (ctx) => ctx.WriteString("Grüner"));
  app.Get("/stream", () => new Response(ReadableStream.from([new Uint8Array(3)])));
  return app;
}

Deno.test("the timeline of a request shows its middleware, dependencies, handler and view, with their times", async () => {
  await overSocket(newApp(), async (ask) => {
    assertStringIncludes((await ask("/tea")).text, "Tea for 2");
    const { Events } = await entryOf(ask, 1);
    const shown = Events.filter(({ Kind }) => Kind !== "end").map(({ Kind, Text }) => `${Kind} ${Text}`);
    assertEquals(shown, ["middleware steep", "handler TeaController.Get", "dependencies guest", "view tea"]);
    assert(Events.every(({ At, Took }) => At >= 0 && Took !== undefined && Took >= 0), JSON.stringify(Events));
    const structure = (await ask("/_fw/structure")).text;
    assertMatch(structure, /guest \(per request, field &quot;guest&quot;\)\n {4}Pots \(singleton, argument 2 of/);
  });
});

Deno.test("the timeline of a request shows its end tasks if they take time", async () => {
  const { app } = logged(fw.New().Configure(fw.WithDevelopment));
  app.Get("/", (ctx) => {
    beforeResponse(exchangeOf(ctx), () => new Promise((resolve) => setTimeout(resolve, 5)));
    ctx.WriteString("tea");
  });
  await overSocket(app, async (ask) => {
    await ask("/");
    const last = (await entryOf(ask, 1)).Events.at(-1);
    assertEquals([last?.Kind, last?.Text], ["end", "end tasks and response"]);
    assert((last?.Took ?? 0) >= 4, JSON.stringify(last));
  });
});

Deno.test("/_fw shows the size of a response body, if it is known", async (test) => {
  const sizes = { "/json": 17, "/text": 7, "/tea": 18, "/stream": undefined };
  await overSocket(newApp(), async (ask) => {
    for (const [at, [path, size]] of Object.entries(sizes).entries()) {
      await test.step(path, async () => {
        const { bytes } = await ask(path);
        if (size !== undefined) assertEquals(bytes.length, size);
        assertEquals((await entryOf(ask, at + 1)).Size, size);
        const page = (await ask(`/_fw/requests/${at + 1}`)).text;
        assertEquals(page.includes(`${size} bytes`), size !== undefined);
      });
    }
  });
});
