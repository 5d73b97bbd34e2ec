import { assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import { askInProcess, overSocket, quiet } from "../../../serving.ts";

/** Creates an application whose handlers name their route and its parameters. */
function newApp(...configurators: fw.Configurator[]): fw.Application {
  const app = quiet();
  app.Configure(...configurators);
  const tell: fw.Handler = (ctx) => ctx.JSON([ctx.GetCurrentRoute()?.Name, Object.fromEntries(ctx.Params().Entries())]);
  for (
    const path of ["/export", "/{name}/edit", "/items/{id}", "/files/{rest:path}", "/files/admin/keys", "/Case/{x}"]
  ) {
    app.Get(path, tell);
  }
  app.Get("/numbers/{n:int}", tell);
  app.Post("/items/{id}", tell);
  app.Any("/any", tell);
  app.Get("/", tell);
  return app;
}

const paths = [
  "/",
  "/export",
  "/export/",
  "/x%2F..%2Fexport",
  "/x/..%2Fexport",
  "/x/../export",
  "/./export",
  "//export",
  "/%65xport",
  "/x%2Fy/edit",
  "/x%2F..%2Fy/edit",
  "/items/a%2F..%2Fb",
  "/items/a%2Fb",
  "/items/..%2F..%2Fexport",
  "/items/%2E%2E",
  "/files/a%2F..%2Fadmin%2Fkeys",
  "/files/admin%2Fkeys",
  "/files/a//b",
  "/files/",
  "/items/%zz",
  "/items/%ff",
  "/items/é",
  "/items/%F0%9F%90%AF",
  "/items/a%20b?x=%2F",
  "/numbers/1",
  "/numbers/x",
  "/case/y",
  "/CASE/y",
  "/missing",
];

/** Requests every path and compares the response with the explanation. */
async function compare(
  app: fw.Application,
  ask: (path: string, method: string) => Promise<{ status: number; text: string; headers: Headers }>,
): Promise<void> {
  for (const method of ["GET", "HEAD", "POST", "OPTIONS", "PROPFIND"]) {
    for (const path of [...paths, "/any"]) {
      const { status, text, headers } = await ask(path, method);
      const { Route, Params, Status, Location, Allow, Path, Others } = await app.Explain(method, path);
      const name = `${method} ${path}`;
      if (Route === undefined) {
        assertEquals(
          [status, headers.get("location"), headers.get("allow")],
          [Status, Location ?? null, Allow ?? null],
          name,
        );
      } else {
        assertEquals(status, 200, `${name} is explained by ${Route}`);
        if (method !== "HEAD") assertEquals(JSON.parse(text), [Route, Params], name);
      }
      assertEquals(
        [Path, ...Object.values(Params), ...Others.map(({ Why }) => Why)].filter((each) => !each.isWellFormed()),
        [],
      );
    }
  }
}

const configurations: Record<string, () => fw.Application> = {
  "by default": () => newApp(),
  "without path correction": () => newApp(fw.WithoutPathCorrection),
  "without redirects": () => newApp(fw.WithoutPathCorrectionRedirection),
  "in lower case": () => newApp(fw.WithLowercaseRouting),
};

for (const [name, create] of Object.entries(configurations)) {
  Deno.test(`Application.Explain() agrees with the router, ${name}, in process`, async () => {
    const app = create();
    await compare(app, (path, method) => askInProcess(app, path, { method }));
  });
  Deno.test(`Application.Explain() agrees with the router, ${name}, over a socket`, async () => {
    const app = create();
    await overSocket(app, (ask) => compare(app, (path, method) => ask(path, { method })));
  });
}

Deno.test("Application.Explain() shows escaped slashes and lone surrogates as a client sends them", async () => {
  const app = newApp();
  const { Params } = await app.Explain("GET", "/items/a%2Fb");
  assertEquals(Params, { id: "a/b" });
  const { Others } = await app.Explain("GET", "/numbers/a%2Fb");
  assertEquals(Others[0]?.Why, '"a%2Fb" is not of type int');
  const lone = await app.Explain("GET", "/items/a\ud800b");
  assertEquals([lone.Path, lone.Params], ["/items/a\ufffdb", { id: "a\ufffdb" }]);
});

Deno.test("Application.Explain() names the public path of a redirect", async () => {
  const app = newApp(fw.WithBasePath("/shop"));
  app.I18n.LoadKV({ en: {}, de: {} }, "en", "de");
  assertEquals((await app.Explain("GET", "/shop/de/export/?a=b")).Location, "/shop/de/export?a=b");
  assertEquals((await askInProcess(app, "/shop/de/export/?a=b")).headers.get("location"), "/shop/de/export?a=b");
});
