/**
 * The panels of the development pages. Each returns data, which is shown as text or tables and is available as JSON.
 *
 * @module
 */

import { isThenable } from "../../../base/async/thenable.ts";
import { messageOf } from "../../../base/errors/to_error.ts";
import { isParallelThread } from "../../../http/server/deno_serve.ts";
import { factsOf } from "../../exchange/handler_facts.ts";
import type { Installed, PanelCall } from "../../context/extension.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import type { Explanation } from "../inspect/explanation.ts";
import { describeRoutes } from "../inspect/list_routes.ts";
import { servedIn } from "../inspect/served_routes.ts";
import type { PartyRecord, Registry, RouteRecord } from "../record/registry.ts";
import { pathPlace } from "./editor_link.ts";
import type { History, Problem } from "./history.ts";
import { settingsOf, shownValue } from "./settings.ts";
import { brokenTemplates, hasTemplates, missingTranslations, viewsAndLanguages } from "./views.ts";

/** The time limit for the panel of an extension. */
const PANEL_MS = 5_000;

/** The application that the pages show. */
export interface Shown {
  readonly registry: Registry;
  readonly runtime: AppRuntime;
  readonly history: History;
  extensions(): readonly Installed[];
  explain(method: string, path: string): Promise<Explanation>;
  fetch(request: Request): Response | Promise<Response>;
}

/** A panel. */
export interface Panel {
  readonly title: string;
  /** The last segment of its path. */
  readonly name: string;
  /** Returns the data. */
  read(call: PanelCall): unknown;
}

/** Returns all panels. Those of extensions come last. */
export function panelsOf(shown: Shown): readonly Panel[] {
  const numbers = shown.extensions().flatMap(({ Name, Measure }) =>
    Measure().map(({ Name: number, Value, Help }) => ({ Extension: Name, Number: number, Value, Help }))
  );
  const own = shown.extensions().flatMap(({ Panels }) =>
    Object.entries(Panels).map(([title, read]) => ({
      title,
      name: nameOf(title),
      read: (call: PanelCall) => inTime(() => read(call)),
    }))
  );
  const { languages } = shown.runtime;
  return withOwnNames([
    { title: "Problems", name: "problems", read: () => problemsOf(shown) },
    { title: "Requests", name: "requests", read: ({ Query }) => requests(shown.history, Query) },
    { title: "Routes", name: "routes", read: ({ Query }) => routes(shown, Query) },
    { title: "Structure", name: "structure", read: () => structure(shown) },
    ...!hasTemplates() && languages === undefined ? [] : [{
      title: "Views and languages",
      name: "views",
      read: () => inTime(() => viewsAndLanguages(languages?.catalog)),
    }],
    ...own,
    { title: "Settings", name: "settings", read: () => settingsOf(shown.registry, shown.runtime) },
    ...numbers.length === 0 ? [] : [{ title: "Numbers", name: "numbers", read: () => numbers }],
  ]);
}

/** Returns the problems of requests, and those that can be seen without one. */
export function problemsOf({ registry, runtime, history }: Shown): readonly Problem[] {
  const known = (Level: string, Text: string, Place = ""): Problem => {
    return { Level, Text, Place, Request: 0, Times: 1, Last: "" };
  };
  const served = servedIn(registry);
  const listed = describeRoutes(served);
  const records = served.map(({ record }) => record);
  const isFeature = ({ uses, handlers }: RouteRecord) => {
    return [...uses, ...handlers].some((handler) => factsOf(handler).isPage || factsOf(handler).isRelay);
  };
  const open = listed.filter(({ Method, Guards }, at) => {
    const record = records[at];
    return Guards.length === 0 && /^(?:POST|PUT|PATCH|DELETE)$/.test(Method) && record !== undefined &&
      !isFeature(record);
  });
  return [
    ...isParallelThread()
      ? [known("hint", "Each thread of deno serve --parallel has its own pages, requests and buttons; use one thread")]
      : [],
    ...brokenTemplates().map(({ Error, Place }) => known("error", Error, Place)),
    ...history.problems,
    ...missingTranslations(runtime.languages?.catalog).map(({ Key, Missing }) =>
      known("warn", `The translation "${Key}" is missing in: ${Missing}`)
    ),
    ...listed.every(({ Guards }) => Guards.length === 0) ? [] : open.map((route) => {
      const text = `${route.Method} ${route.Path} writes without a guard, although other routes have one`;
      return known("hint", text, pathPlace(route.File));
    }),
  ];
}

/** Numbers the names that several panels have, for example those of two extensions of the same kind. */
function withOwnNames(panels: readonly Panel[]): readonly Panel[] {
  const times = new Map<string, number>();
  return panels.map((panel) => {
    const time = (times.get(panel.name) ?? 0) + 1;
    times.set(panel.name, time);
    return time === 1 ? panel : { ...panel, name: `${panel.name}-${time}` };
  });
}

/** Returns a title as the segment of a path. */
function nameOf(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "panel";
}

function requests(history: History, query: PanelCall["Query"]): unknown {
  const filter = (query.filter ?? "").toLowerCase();
  const found = history.requests.filter((each) =>
    `${each.Method} ${each.Path} ${each.Status} ${each.Route} ${each.User}`.toLowerCase().includes(filter)
  );
  return found.map(({ ID, Time, Method, Path, Status, Took, Route, User }) => ({
    ID,
    Time,
    Method,
    Path,
    Status,
    Took: inMilliseconds(Took),
    Route,
    User,
  }));
}

/** Returns a duration as text. */
export function inMilliseconds(took: number | undefined): string {
  return took === undefined ? "…" : `${took.toFixed(took < 10 ? 2 : 0)} ms`;
}

async function routes({ registry, explain }: Shown, query: PanelCall["Query"]): Promise<unknown> {
  const { path = "", method = "GET" } = query;
  if (path !== "") return await explain(method, path);
  return describeRoutes(servedIn(registry)).map((route) => ({
    Method: route.Method,
    Path: route.Path,
    Name: route.Name === `${route.Method} ${route.Path}` ? "" : route.Name,
    Hosts: route.Hosts.join(", "),
    Version: route.Version,
    Guards: route.Guards.join(", "),
    Handlers: [...route.Middleware, ...route.Handlers].join(" → "),
    Documented: route.Hidden ? "no" : "",
    Unreachable: route.Unreachable,
    Place: pathPlace(route.File),
  }));
}

/** Returns the parties, the extensions, and the dependencies of controllers, as the lines of trees. */
function structure({ registry, extensions }: Shown): unknown {
  const byParty = Map.groupBy(registry.routes, ({ party }) => party);
  const parties = [...byParty].map(([party, own]) => {
    const uses = party.uses.map((handler) => handler.name || "(anonymous)").join(" → ");
    return `${partyName(party)}: ${own.length} ${own.length === 1 ? "route" : "routes"}${
      uses === "" ? "" : `, after ${uses}`
    }`;
  });
  const trees = registry.routes.flatMap(({ route, dependent }) => {
    const lines = dependent?.dependencies() ?? [];
    return lines.length === 0 ? [] : [`${route.Method} ${route.Path}`, ...lines.map((line) => `  ${line}`)];
  });
  return {
    Parties: parties.join("\n"),
    Extensions: extensions().map(({ Name, Prefix }) => `${Name} (${Prefix})`).join("\n"),
    Dependencies: trees.join("\n"),
  };
}

function partyName({ prefix, subdomain }: PartyRecord): string {
  return subdomain + prefix;
}

/** Reads the panel of an extension. If it fails or takes too long, returns the reason. */
async function inTime(read: () => unknown): Promise<unknown> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`The panel has no content after ${PANEL_MS / 1_000} s`), PANEL_MS);
  try {
    const content = read();
    return plain(isThenable(content) ? await Promise.race([content, late.promise]) : content);
  } catch (error) {
    return `The panel cannot be shown: ${messageOf(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the content of a panel as plain data, or as a string if there is none, for example if it is circular. */
function plain(content: unknown): unknown {
  try {
    const text = JSON.stringify(content, (_key, value) => typeof value === "bigint" ? String(value) : value);
    return text === undefined ? shownValue(content) : JSON.parse(text);
  } catch {
    return shownValue(content);
  }
}
