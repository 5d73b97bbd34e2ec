import { assertEquals, assertGreater } from "@std/assert";
import { setImmediate } from "node:timers";
import { quiet } from "../../serving.ts";

Deno.test("I18n.Reload() lets the event loop handle other events while it reads many translations", async () => {
  const messages = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, at) => [`key${at}`, `Text ${at} for {{.Name}} at {{date .At "long"}}`]),
  );
  const app = quiet();
  app.I18n.LoadKV({ en: messages }, "en");
  app.Get("/", (ctx) => ctx.Text(ctx.Tr("key39999", { Name: "Ada", At: "2026-03-01" })));
  await app.Build();
  let turns = 0;
  let isDone = false;
  const reloading = app.I18n.Reload().finally(() => isDone = true);
  while (!isDone) {
    await new Promise((resolve) => void setImmediate(resolve));
    turns++;
  }
  await reloading;
  assertGreater(turns, 3);
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals(await response.text(), "Text 39999 for Ada at March 1, 2026");
});
