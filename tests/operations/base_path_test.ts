import * as fw from "@fw/web";
import * as openapi from "@fw/web/openapi";
import * as sessions from "@fw/web/sessions";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ignoredFor } from "../state/sessions/redis_server.ts";
import { missing, proxies, type ProxyKind, startProxy } from "./proxies.ts";

const nginx = proxies["nginx"] as ProxyKind;

/** Publishes the application below one path that nginx removes, and below another one that nginx keeps. */
const recipe = `
upstream app { server 127.0.0.1:8080 max_fails=0; }
upstream kept { server 127.0.0.1:8081 max_fails=0; }
server {
  listen 80;
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Host $http_host;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_redirect off;
  location = / { return 200 "up"; }
  location /seats/ {
    proxy_pass http://app/;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Prefix /seats;
  }
  location /kept/ { proxy_pass http://kept; }
}`;

/** Creates the application. Nothing in it names the path that it is published below. */
function newApp(...configure: fw.Configurator[]): fw.Application {
  const app = fw.New().Configure(fw.WithProxy({ Trust: ["loopback"] }), ...configure);
  app.I18n.LoadKV({ en: { title: "Show" }, de: { title: "Vorstellung" } });
  app.RegisterView(
    fw.HTML("").ParseTemplate(
      "show.html",
      "<h1><%= tr('title') %></h1><a href=\"<%= urlpath('show', 2) %>\">2</a><a href=\"<%= url('shows') %>\">all</a>",
    ),
  );
  const manager = sessions.New({});
  app.Get("/shows", (ctx) => ctx.WriteString("all")).SetName("shows");
  app.Get("/shows/{id:int}", async (ctx) => {
    (await manager.Start(ctx)).Set("seen", 1);
    await ctx.View("show.html");
  }).SetName("show");
  app.Post("/shows", (ctx) => ctx.Redirect("/shows/3", 303));
  app.HandleDir("/files", new URL("../testdata/", import.meta.url), { ShowList: true });
  openapi.New({ Title: "Seats", Version: "1" }).Serve(app);
  return app;
}

/** Runs the application on a free port. */
async function running(app: fw.Application): Promise<AsyncDisposable & { readonly port: number }> {
  const { promise, resolve } = Promise.withResolvers<Deno.Addr>();
  const ended = app.Run("127.0.0.1:0", fw.WithoutStartupLog, fw.WithoutInterruptHandler, fw.WithOnListen(resolve));
  const { port } = await promise as Deno.NetAddr;
  return {
    port,
    async [Symbol.asyncDispose]() {
      await app.Shutdown();
      await ended;
    },
  };
}

const reason = await missing(nginx);

Deno.test({
  name: `links, redirects, cookies and OpenAPI stay in an application below a path of nginx${ignoredFor(reason)}`,
  ignore: reason !== undefined,
  async fn() {
    await using plain = await running(newApp());
    await using based = await running(newApp(fw.WithBasePath("/kept")));
    await using proxy = await startProxy(nginx, [plain.port, based.port], recipe);
    const get = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(proxy.url + path, { redirect: "manual", ...init });
      return { response, text: await response.text(), location: response.headers.get("location") };
    };
    for (const root of ["/seats", "/kept"]) {
      for (const [language, title] of [["", "Show"], ["/de", "Vorstellung"], ["/en", "Show"]]) {
        const home = root + language;
        const page = await get(`${home}/shows/1`);
        assertStringIncludes(page.text, `<h1>${title}</h1><a href="${home}/shows/2">`);
        assertStringIncludes(page.text, `<a href="${proxy.url}${home}/shows">`);
        assertMatch(page.response.headers.get("set-cookie") ?? "", new RegExp(`Path=${root}(?:;|$)`));
        assertEquals((await get(`${home}/shows/1/`)).location, `${home}/shows/1`);
        assertEquals((await get(`${home}/shows`, { method: "POST" })).location, `${home}/shows/3`);
        assertEquals((await get(`${home}/files/forms?a=1`)).location, `${home}/files/forms/?a=1`);
        const { servers } = JSON.parse((await get(`${home}/openapi.json`)).text);
        assertEquals(servers, [{ url: root }]);
        // A client that follows the links of the page and the redirects never leaves the application.
        const followed = await fetch(`${proxy.url}${home}/shows/1/`);
        assertStringIncludes(await followed.text(), title ?? "");
        const next = /href="([^"]+)"/.exec(page.text)?.[1] ?? "";
        assertEquals((await get(next)).response.status, 200);
        const operation = await get(`${servers[0].url}/shows/1`);
        assertEquals(operation.response.status, 200);
      }
    }
  },
});
