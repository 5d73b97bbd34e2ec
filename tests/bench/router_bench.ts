/**
 * Compares the router to others: `deno bench -A tests/bench/router_bench.ts`. To measure the first build in a new
 * process, run `deno run -A tests/bench/router_bench.ts`.
 *
 * All routers start with the URL, as they do when they serve requests, and read every parameter. The others need the
 * path to be extracted first, while fw locates it within the URL. The best of many runs on two idle arm64 cores, in ns:
 * fw 54, memoirist 89, rou3 110 for a short static path; 154, 327, 112 for a long one, which rou3 stores as a whole in
 * a hash table; 133, 245, 860 for one parameter; 199, 410, 1110 for two; 155, 285, 1660 for a catch-all.
 *
 * @module
 */

import { Memoirist } from "npm:memoirist@1";
import { addRoute, createRouter, findRoute } from "npm:rou3@1";
import { Macros } from "../../src/http/parameter_types/macros.ts";
import { parseTemplate, type Template } from "../../src/http/parameter_types/template.ts";
import { Router } from "../../src/http/router/router.ts";
import * as fw from "../../mod.ts";

const nouns = (
  "users orders items carts invoices payments reviews tags stocks brands posts photos albums tracks artists " +
  "labels events venues tickets seats rows teams players games scores leagues seasons rounds matches goals"
).split(" ");

/** Two hundred and ten routes of a fictional service. */
const paths = nouns.flatMap((noun) => [
  `/${noun}`,
  `/${noun}/search`,
  `/${noun}/{id}`,
  `/${noun}/{id}/history`,
  `/${noun}/{id}/notes/{note}`,
  `/api/v1/admin/${noun}/settings`,
  `/static/${noun}/{file:path}`,
]);

/** The lookups, by name of the group. */
const lookups: Readonly<Record<string, string>> = {
  "static, short": "/users",
  "static, long": "/api/v1/admin/goals/settings",
  "one parameter": "/photos/12345",
  "parameter, then static": "/seasons/12345/history",
  "two parameters": "/reviews/42/notes/7",
  "rest of the path": "/static/albums/2024/summer/beach.jpg",
  "nothing": "/photos/12345/comments",
};

const fwRouter = new Router<Template>();
const memoirist = new Memoirist<string>();
const rou3 = createRouter<{ path: string }>();
for (const path of paths) {
  const template = parseTemplate(path, new Macros());
  fwRouter.add("GET", template, template);
  const plain = path.replaceAll(/\{(\w+)\}/g, ":$1");
  memoirist.add("GET", plain.replace(/\{\w+:path\}/, "*"), path);
  addRoute(rou3, "GET", plain.replace(/\{(\w+):path\}/, "**:$1"), { path });
}

const host = "http://localhost:8080";
// Store the result, so that the optimizer cannot remove the code.
const sink: { value: unknown } = { value: undefined };

for (const [group, path] of Object.entries(lookups)) {
  const url = new URL(host + path).href;
  Deno.bench({ name: `fw: ${group}`, group, baseline: true }, () => {
    const found = fwRouter.find("GET", url, host.length, url.length);
    if (found === undefined) return;
    const { spans } = fwRouter;
    for (let i = 0; i < found.names.length; i++) sink.value = url.slice(spans[2 * i], spans[2 * i + 1]);
  });
  Deno.bench({ name: `memoirist: ${group}`, group }, () => {
    const found = memoirist.find("GET", url.slice(host.length));
    if (found !== null) { for (const name in found.params) sink.value = found.params[name]; }
  });
  Deno.bench({ name: `rou3: ${group}`, group }, () => {
    const found = findRoute(rou3, "GET", url.slice(host.length));
    if (found !== undefined) { for (const name in found.params) sink.value = found.params[name]; }
  });
}

/** Creates an application with five hundred routes of all kinds, on parties with middleware. */
function newApp(): fw.Application {
  const app = fw.New();
  app.Use((ctx) => ctx.Next());
  for (let i = 0; i < 50; i++) {
    const party = app.Party(`/group${i}`, (ctx) => ctx.Next());
    for (const path of ["/", "/list", "/{id:int}", "/{name}", "/{id:int}/edit"]) party.Get(path, nothing);
    for (const path of ["/", "/{id:long min(1)}", "/{id:int}/{slug:alphabetical}"]) party.Post(path, nothing);
    party.Put("/{id:uuid}", nothing);
    party.Get("/files/{path:path}", nothing);
  }
  return app;
}

function nothing(): void {}

Deno.bench({ name: "fw: 500 routes registered and built", group: "building" }, () => {
  newApp().Build();
});

if (import.meta.main) {
  const started = performance.now();
  const app = newApp();
  const registered = performance.now();
  app.Build();
  const built = performance.now();
  const figures = `${(registered - started).toFixed(1)} ms to register, ${(built - registered).toFixed(1)} ms to build`;
  Deno.stdout.writeSync(new TextEncoder().encode(`${app.Routes().length} routes, cold: ${figures}\n`));
}
