import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import { MissingKeys } from "@fw/web/i18n";
import { bothWays, logged, quiet } from "../../serving.ts";

const remote = new URL("https://example.com/files/");
/** The calls that take a path as a URL. */
const calls: Readonly<Record<string, (url: URL) => unknown>> = {
  HandleDir: async (url) => {
    const app = quiet();
    app.HandleDir("/files", url);
    await app.Build();
  },
  "I18n.Load": async (url) => {
    const app = quiet();
    app.I18n.Load(url, "en");
    await app.Build();
  },
  HTML: async (url) => {
    const app = quiet();
    app.RegisterView(fw.HTML(url));
    await app.Build();
  },
  MissingKeys: (url) => MissingKeys(url, "en"),
  Favicon: (url) => quiet().Favicon(url),
};

const asArgument = 'it must be a path or a file: URL, not "https://example.com/files/"';
const asPath = 'Cannot use "https://example.com/files/" as a path: it is not a file URL';
/** The messages of calls that check the URL themselves. */
const messages: Readonly<Record<string, string>> = {
  HandleDir: `Cannot use the argument "dir" of HandleDir: ${asArgument}`,
  "I18n.Load": `Cannot use the argument "folder" of Load: ${asArgument}`,
  Favicon: `Cannot use the argument "file" of Favicon: ${asArgument}`,
  HTML: 'Cannot read views from "https://example.com/files/": it is not a path or a file URL',
};

for (const [name, call] of Object.entries(calls)) {
  Deno.test(`${name}() rejects a URL that is not a file URL with an error of fw`, async () => {
    const error = await assertRejects(async () => await call(remote), fw.FrameworkError);
    assertEquals(error.message, messages[name] ?? asPath);
  });
}

Deno.test("HandleDir() rejects a file URL with a host, which denotes a file of another machine", async () => {
  if (Deno.build.os === "windows") return;
  const url = new URL("file://server/files/");
  await assertRejects(async () => await calls["HandleDir"]?.(url), fw.FrameworkError, 'the host "server"');
});

const lines: string[] = [];

bothWays("Context.ServeFile() reports a URL that is not a file URL with an error of fw", () => {
  const { app } = logged();
  app.Logger().SetOutput((line) => lines.push(line));
  app.Get("/file", (ctx) => ctx.ServeFile(remote));
  app.Get("/root", (ctx) => ctx.ServeFile("a.txt", { Root: remote }));
  app.Get("/send", (ctx) => ctx.SendFile(remote));
  return app;
}, async (ask) => {
  for (const path of ["/file", "/root", "/send"]) {
    lines.length = 0;
    assertEquals((await ask(path)).status, 500, path);
    const asOption = 'it must be a non-empty string or a file: URL, not "https://example.com/files/"';
    assertStringIncludes(lines.join(), path === "/root" ? asOption : asPath);
  }
});
