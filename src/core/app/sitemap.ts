/**
 * The sitemap of an application.
 *
 * @module
 */

import { runShared } from "../../base/async/async_context.ts";
import type { Configuration } from "../../base/config/config.ts";
import { trimFinalSlashes } from "../../http/headers/path.ts";
import type { Template } from "../../http/parameter_types/template.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { AppRuntime } from "../exchange/app_runtime.ts";
import { factsOf } from "../exchange/handler_facts.ts";
import { passOn } from "../exchange/peer/outer_call.ts";
import type { PassedConnection } from "../exchange/peer/peer_address.ts";
import { rootPath } from "../exchange/public_url.ts";
import { build } from "./build/build.ts";
import { reachableRoutes } from "./inspect/reachable_routes.ts";
import { servedIn } from "./inspect/served_routes.ts";
import { addRoute, type Party, registryOf } from "./party.ts";
import type { Registry, RouteRecord } from "./record/registry.ts";
import { createFetch } from "./serve/dispatch.ts";
import { domainAt, domainsOf } from "./serve/find_route.ts";
import { indexFile, type Page, type Site, sitemapFile } from "./sitemap_file.ts";

/** The maximum number of pages in a file (sitemaps.org). */
const mostPages = 50_000;
/** The number of pages to check before other requests get their turn. */
const atOnce = 500;

/** Adds the routes of the sitemap, unless the application has its own. */
export function addSitemap(app: Party, { Sitemap, VHost }: Readonly<Configuration>): void {
  const registry = registryOf(app);
  const { subdomain } = domainAt(domainsOf(registry), new URL(Sitemap).host, VHost);
  const candidates = candidatesIn(registry, subdomain);
  if (candidates.some(({ route }) => route.Path === "/sitemap.xml")) return;
  const sitemap = new Sitemaps(registry, Sitemap, subdomain);
  const party = subdomain === "" ? app : app.Party(subdomain);
  const files = candidates.length > mostPages ? Math.ceil(candidates.length / mostPages) : 0;
  for (let file = 0; file <= files; file++) {
    const path = `/sitemap${file === 0 ? "" : file}.xml`;
    // The sitemap is for search engines, so it has no guard, even if all later pages have one.
    addRoute(party, { method: "GET", path, handlers: [sitemap.handler(file)], isOpen: true, isPage: true });
  }
}

/**
 * Returns the routes that may be pages. Those of mounted applications may not have middleware, because the check below
 * knows the middleware of this application only.
 */
function candidatesIn(registry: Registry, subdomain: string): RouteRecord[] {
  const seen = new Set<string>();
  const reachable = servedIn(registry).filter(({ record, hosts, isInner, replacedBy }) =>
    hosts.length === 0 && replacedBy === undefined && (!isInner || isPlain(record))
  );
  return reachable.map(({ record }) => record).filter(({ route, servesSlash, handlers, party }) => {
    const isPage = party.subdomain === subdomain && route.IsStatic() && !servesSlash && !seen.has(route.Path) &&
      route.Sitemap.IsExcluded !== true && route.Description.Hidden !== true &&
      handlers.every((handler) => factsOf(handler).events === undefined);
    if (isPage) seen.add(route.Path);
    return isPage;
  });
}

/** Returns the URL-encoded path of a template without parameters. */
function pathOf({ segments }: Template): string {
  const parts = segments.map((segment) => segment.kind === "static" ? encodeURIComponent(segment.text) : "");
  return `/${parts.join("/")}`;
}

class Sitemaps {
  readonly #registry: Registry;
  readonly #url: URL;
  readonly #subdomain: string;
  #pages: Promise<readonly Page[]> | undefined = undefined;

  constructor(registry: Registry, url: string, subdomain: string) {
    this.#registry = registry;
    this.#url = new URL(url);
    this.#subdomain = subdomain;
  }

  /** Creates the handler of a file. File 0 contains all pages, or the index if there are too many. */
  handler(file: number): Handler {
    return async (ctx) => {
      const pages = await this.#list(exchangeOf(ctx).runtime);
      const count = Math.ceil(pages.length / mostPages);
      const isIndex = count > 1 && file === 0;
      if (file > 0 && (count < 2 || file > count)) return ctx.NotFound();
      const site = this.#site(ctx);
      ctx.ContentType("application/xml; charset=utf-8");
      const from = Math.max(file - 1, 0) * mostPages;
      ctx.Write(isIndex ? indexFile(site, count) : sitemapFile(site, pages.slice(from, from + mostPages)));
    };
  }

  #site(ctx: Context): Site {
    const { target, runtime: { languages } } = exchangeOf(ctx);
    const path = trimFinalSlashes(this.#url.pathname);
    return { url: this.#url, root: path === "" ? rootPath(target) : path, languages };
  }

  #list(runtime: AppRuntime): Promise<readonly Page[]> {
    return this.#pages ??= runShared(() => this.#find(runtime)).catch((error) => {
      this.#pages = undefined;
      throw error;
    });
  }

  /** Finds the pages that a visitor without credentials can reach. */
  async #find(runtime: AppRuntime): Promise<readonly Page[]> {
    const candidates = candidatesIn(this.#registry, this.#subdomain);
    const doubtful = candidates.filter((record) => !isPlain(record));
    const closed = new Set(doubtful.map(({ route }) => route.Path));
    if (doubtful.length > 0) await this.#check(runtime, doubtful, closed);
    return candidates.filter(({ route }) => !closed.has(route.Path)).map(({ route, template }) => ({
      path: pathOf(template),
      entry: route.Sitemap,
    }));
  }

  /**
   * Removes the pages that a visitor can reach from a list. Their middleware decides that, in a copy of the application
   * whose main handlers only report that they were reached.
   */
  async #check(runtime: AppRuntime, doubtful: readonly RouteRecord[], closed: Set<string>): Promise<void> {
    const fetch = createFetch(build(this.#withoutPages(closed), runtime));
    // Guards run for such a request, but logs, limits and metrics do not count it.
    const connection: PassedConnection = { outer: passOn({ isRenewal: true }) };
    const headers = { accept: "text/html", "cache-control": "no-cache" };
    for (const [at, { template }] of doubtful.entries()) {
      const response = await fetch(new Request(this.#url.origin + pathOf(template), { headers }), connection);
      await response.body?.cancel();
      if (at % atOnce === atOnce - 1) await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Returns a copy of the registrations with the routes of closed pages, whose main handlers only open them. */
  #withoutPages(closed: Set<string>): Registry {
    const open: Handler = (ctx) => {
      closed.delete(ctx.GetCurrentRoute()?.Path ?? "");
      ctx.Header("cache-control", "no-store");
      ctx.StatusCode(204);
    };
    const routes = reachableRoutes(this.#registry.routes).filter(({ route, party }) =>
      party.subdomain === this.#subdomain && route.Method === "GET" && closed.has(route.Path)
    ).map((record) => ({ ...record, handlers: [...record.handlers.slice(0, -1), open], dones: [] }));
    return Object.create(this.#registry, { routes: { value: routes } });
  }
}

/** Reports whether a route has no middleware that could refuse a visitor. */
function isPlain({ handlers, uses, party }: RouteRecord): boolean {
  if (party.globals.length + uses.length > 0 || handlers.length > 1) return false;
  for (let at: RouteRecord["party"] | undefined = party; at !== undefined; at = at.parent) {
    if (at.routerUses.length > 0 || at.selector !== undefined) return false;
  }
  return true;
}
