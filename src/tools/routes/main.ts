// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * The command-line program `deno run -A jsr:@fw/web/routes`.
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { type Given, runProgram } from "../../base/command/command.ts";
import { alignColumns } from "../../base/text/columns.ts";
import type { Explanation } from "../../core/app/inspect/explain.ts";
import { loadApplication, shapes } from "../../core/app/load.ts";
import { describeRoutes, type ListedRoute } from "../../core/app/inspect/list_routes.ts";
import { servedRoutes } from "../../core/app/served_routes.ts";
import { callSite } from "../../core/app/record/call_site.ts";
import { traceRegistrations } from "../../core/app/record/registration_site.ts";

const usage = `usage: routes MAIN [METHOD PATH] [--guards] [--json]

Lists the routes of the application in MAIN. With a method and a path, explains which route serves the request.

${shapes}

  --guards    show the guards of each route instead of all middleware
  --json      write JSON
  --help, -h  show this help
  --version   show the version of fw`;

/** Runs the program. */
export function main(args: string[]): Promise<number> {
  return runProgram({ usage, options: { json: { type: "boolean" }, guards: { type: "boolean" } }, run: tell }, args);
}

async function tell({ flags, names }: Given): Promise<number | undefined> {
  const [file, method, path, ...others] = names;
  if (file === undefined || (method !== undefined && path === undefined) || others.length > 0) return undefined;
  traceRegistrations(callSite);
  const { app } = await loadApplication(file);
  await app.Build();
  if (method === undefined || path === undefined) {
    const routes = describeRoutes(servedRoutes(app));
    console.log(
      flags["json"] ? JSON.stringify(routes, null, 2) : flags["guards"] ? guardsTable(routes) : routesTable(routes),
    );
    return 0;
  }
  const explanation = await app.Explain(method, path);
  console.log(flags["json"] ? JSON.stringify(explanation, null, 2) : story(explanation));
  return explanation.Route === undefined ? 1 : 0;
}

function routesTable(routes: readonly ListedRoute[]): string {
  const warnings = routes.filter((route) => route.Unreachable !== undefined)
    .map((route) => `warning: ${route.Name} is unreachable: ${route.Unreachable}`);
  const rows = tableOf(routes, ["MIDDLEWARE", "HANDLER", "REGISTERED AT"], (route) => [
    route.Middleware.join(" → "),
    route.Action ?? route.Handlers.join(" → "),
    shortSite(route.File),
  ]);
  return [rows, ...warnings].join("\n");
}

/** Lists the guards that are known before a request. Policies that a handler asks are known only while it runs. */
function guardsTable(routes: readonly ListedRoute[]): string {
  return tableOf(routes, ["GUARDS", "HANDLER"], (route) => [
    route.Guards.join(" → ") || (isWrite(route.Method) ? "none (a write)" : "none"),
    route.Action ?? route.Handlers.at(-1) ?? "",
  ]);
}

/** Lists the routes with further columns. */
function tableOf(
  routes: readonly ListedRoute[],
  titles: readonly string[],
  cells: (route: ListedRoute) => readonly string[],
): string {
  if (routes.length === 0) return "No routes.";
  const hasHosts = routes.some(({ Hosts }) => Hosts.length > 0);
  const isVersioned = routes.some(({ Version }) => Version !== undefined);
  const row = (method: string, host: string, path: string, version: string, rest: readonly string[]) => [
    method,
    ...hasHosts ? [host] : [],
    path,
    ...isVersioned ? [version] : [],
    ...rest,
  ];
  return table([
    row("METHOD", "HOST", "PATH", "VERSION", titles),
    ...routes.map((each) => row(each.Method, each.Hosts.join(", "), each.Path, each.Version ?? "", cells(each))),
  ]);
}

function isWrite(method: string): boolean {
  return !["GET", "HEAD", "OPTIONS"].includes(method);
}

function story(found: Explanation): string {
  const params = Object.entries(found.Params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const chain = found.Chain.map((handler, at) => [`${at + 1}`, handler.Name, handler.From, shortSite(handler.File)]);
  const parts = [
    `${found.Method} ${found.Path} matches ${matched(found)}`,
    found.Status === undefined ? "" : `  responds    ${found.Status} ${found.Location ?? found.Allow ?? ""}`.trimEnd(),
    found.Version === undefined ? "" : `  version     ${found.Version}`,
    found.Action === undefined ? "" : `  controller  ${found.Action}`,
    params.length === 0 ? "" : `  parameters  ${params.join(", ")}`,
    found.Inputs.length === 0 ? "" : `  inputs      ${found.Inputs.join(", ")}`,
    found.Security.length === 0 ? "" : `  guarded by  ${found.Security.join(", ")}`,
    chain.length === 0 ? "" : `\nHandlers, in order:\n${indented(table(chain))}`,
    found.Dependencies.length === 0 ? "" : `\nDependencies:\n${indented(found.Dependencies.join("\n"))}`,
    found.Others.length === 0
      ? ""
      : `\nOther routes:\n${indented(table(found.Others.map((other) => [other.Route, other.Why])))}`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Returns the name of the matching route. A custom name is followed by the template. */
function matched({ Route, Template }: Explanation): string {
  if (Route === undefined) return "no route";
  return Route === Template ? `"${Route}"` : `"${Route}" (${Template})`;
}

function table(rows: readonly (readonly string[])[]): string {
  return alignColumns(rows).join("\n");
}

function indented(text: string): string {
  return text.split("\n").map((line) => `  ${line}`).join("\n");
}

/** Shortens a path below the current folder to a relative path. */
function shortSite(site: string): string {
  const here = `${pathToFileURL(Deno.cwd()).href}/`;
  return site.startsWith(here) ? decodeURIComponent(site.slice(here.length)) : site;
}
