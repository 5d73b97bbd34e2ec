import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

/** Writers that are asynchronous at least while their module is being loaded. Each request is the first of its kind. */
const writers: Readonly<Record<string, (ctx: fw.Context, folder: string) => unknown>> = {
  XML: (ctx) => ctx.XML({ tea: "green" }),
  YAML: (ctx) => ctx.YAML({ tea: "green" }),
  MsgPack: (ctx) => ctx.MsgPack({ tea: "green" }),
  Markdown: (ctx) => ctx.Markdown("green"),
  Negotiate: (ctx) => {
    ctx.Negotiation().YAML();
    return ctx.Negotiate({ tea: "green" });
  },
  ServeFile: (ctx, folder) => ctx.ServeFile(`${folder}/tea.html`),
  SendFile: (ctx, folder) => ctx.SendFile(`${folder}/tea.html`),
  SendFileWithRate: (ctx, folder) => ctx.SendFileWithRate(`${folder}/tea.html`, 1 << 20),
  View: (ctx) => ctx.View("tea"),
  Exec: (ctx) => ctx.Exec("GET", "/later"),
};

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/tea.html`, "green");
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function site(folder: string): fw.Application {
  const app = quiet();
  app.RegisterView(fw.HTML(folder, ".html"));
  app.Get("/later", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("green");
  });
  for (const [name, write] of Object.entries(writers)) {
    app.Get(`/handler/${name}`, (ctx) => {
      write(ctx, folder);
    });
    app.Get(`/async/${name}`, async (ctx) => {
      await Promise.resolve();
      void write(ctx, folder);
    });
    app.Get(`/middleware/${name}`, async (ctx) => {
      await ctx.Next();
      ctx.Header("x-after", "1");
    }, (ctx) => {
      write(ctx, folder);
    });
    const party = app.Party(`/error/${name}`);
    party.OnErrorCode(404, (ctx) => {
      write(ctx, folder);
    });
    party.Get("/", (ctx) => ctx.NotFound());
  }
  return app;
}

Deno.test("Context writers are awaited by the response if a handler does not await them", async () => {
  await withFolder((folder) =>
    overSocket(site(folder), async (ask) => {
      for (const name of Object.keys(writers)) {
        for (const place of ["handler", "async", "middleware", "error"]) {
          const headers = { accept: "text/html, */*" };
          const response = await ask(`/${place}/${name}`, { headers });
          assertStringIncludes(response.text, "green", `${place} ${name}`);
        }
      }
    })
  );
});

Deno.test("Context writers fail the request if they fail and no handler awaits them", async () => {
  const app = quiet();
  app.Get("/lost", (ctx) => {
    ctx.ServeFile(Object.create(null));
  });
  app.Get("/caught", async (ctx) => {
    try {
      await ctx.ServeFile(Object.create(null));
    } catch {
      ctx.WriteString("caught");
    }
  });
  await overSocket(app, async (ask) => {
    const lost = await ask("/lost");
    assertEquals([lost.status, lost.text], [500, "Internal Server Error"]);
    const caught = await ask("/caught");
    assertEquals([caught.status, caught.text], [200, "caught"]);
  });
});

Deno.test("Context writers are awaited by the response of a controller that does not await them", async () => {
  class Teas {
    Ctx = mvc.Inject(fw.Context);

    Get(): void {
      this.Ctx.YAML({ tea: "green" });
    }
  }
  const app = quiet();
  mvc.New(app.Party("/teas")).Handle(Teas);
  await overSocket(app, async (ask) => {
    assertStringIncludes((await ask("/teas")).text, "green");
  });
});
