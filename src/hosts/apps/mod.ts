/**
 * Serves several applications with one server, selected by the requested host.
 *
 * @example Serve two sites
 * ```ts
 * import * as fw from "@fw/web";
 * import * as apps from "@fw/web/apps";
 *
 * const shop = fw.New();
 * shop.Get("/", (ctx) => ctx.WriteString("shop"));
 * const blog = fw.New();
 * blog.Get("/", (ctx) => ctx.WriteString("blog"));
 *
 * const app = apps.Switch([
 *   { Pattern: "shop.example.com", Target: shop },
 *   { Pattern: "www.blog.example.com", Target: "blog.example.com" },
 *   { Pattern: /^blog\./, Target: blog },
 * ]);
 * await (await app.fetch(new Request("http://shop.example.com/"))).text(); // → "shop"
 * await (await app.fetch(new Request("http://blog.example.com/"))).text(); // → "blog"
 * const moved = await app.fetch(new Request("http://www.blog.example.com/teas?page=2"));
 * moved.headers.get("location"); // → "http://blog.example.com/teas?page=2"
 * ```
 *
 * @module
 */

import { either, filled, func, listOf, record, required } from "../../base/config/option_kinds.ts";
import { instance } from "../../base/config/option_shapes.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { Application, New } from "../../core/app/application.ts";
import { switched } from "../../core/app/mount.ts";
import { hostInner } from "../../core/app/party.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { requestScheme } from "../../core/exchange/peer/request_scheme.ts";
import { sameAt } from "../../core/exchange/public_url.ts";
import { hostName, isCommonHost } from "../../http/headers/host_name.ts";
import { movedStatus } from "../../http/response/redirect.ts";

/** A host and the application that serves it. */
export interface Host {
  /**
   * The host name, or a regular expression for it. A string with characters other than letters, digits, dots and
   * hyphens is a regular expression. Expressions are compared with the host with and without its port, and names
   * without it unless they contain one.
   */
  readonly Pattern: string | RegExp;
  /**
   * The application that serves the host, or another host to redirect to. GET and HEAD requests are redirected with
   * status 301, and all others with 308. The path and the query string are kept.
   */
  readonly Target: Application | string;
}

// A missing or empty pattern would match every host.
const table = optionTable<Host>("apps.Host", "Switch")({
  Pattern: required(either<Host["Pattern"], undefined>(undefined, filled(), instance(RegExp, "a regular expression"))),
  Target: required(either<Host["Target"], undefined>(undefined, filled(), instance(Application, "an application"))),
});
const hostsRule = listOf(record(), "hosts");
const optionsRule = listOf(func(), "options such as SetHost");

/** The settings that are changed by options such as {@linkcode SetHost}. */
export interface SwitchOptions {
  /** The host that all applications see, including the port, if any. */
  Host?: string;
}

/** An option for {@linkcode Switch}. */
export type SwitchOption = (options: SwitchOptions) => void;

/**
 * Creates an application that passes each request to the application of its host.
 *
 * The first host whose pattern matches is used. If none matches, the routes and error pages of the new application
 * apply. An application that receives requests in this way shares the call as a mounted application does: the user, the
 * language, the request ID and the session are those of the application around it. All applications are built and shut
 * down together with the new application.
 *
 * @param hosts The hosts, in order.
 * @param options The options.
 * @returns The application. Its wrappers and its `UseRouter` middleware apply to all hosts.
 * @throws {FrameworkError} If there are no hosts, or if a target is not valid or matches its own pattern.
 */
export function Switch(hosts: readonly Host[], ...options: readonly SwitchOption[]): Application {
  checkArgument(hosts, hostsRule, "hosts", "Switch");
  if (hosts.length === 0) throw new FrameworkError("FW_CONFIG", "Cannot switch between applications: there are none");
  checkArgument(options, optionsRule, "options", "Switch");
  const settings: SwitchOptions = {};
  for (const option of options) option(settings);
  const checked = hosts.map((host, at) => readOptions(table, host, `Switch.hosts[${at}]`));
  const targets = checked.map(({ Target }) => Target);
  const find = finderOf(checked.map(({ Pattern, Target }) => {
    const matches = matcherOf(Pattern);
    // An application with several patterns has one position.
    const serve = handlerOf(Target, matches, settings.Host, String(targets.indexOf(Target)));
    return { name: nameOf(Pattern), matches, serve };
  }));
  const app = New();
  // The middleware that the program adds with `UseRouter` comes first, so that it applies to all hosts.
  app.Install({
    Name: "apps",
    Install: (host) => host.Check("hosts", () => void app.UseRouter(switchHosts), "start"),
  });
  for (const { Target, Pattern } of hosts) {
    if (Target instanceof Application) hostInner(app, Target.fetch, String(Pattern));
  }
  return app;

  function switchHosts(ctx: Context): ReturnType<Handler> {
    const found = find(ctx.Host());
    return found === undefined ? ctx.Next() : found.serve(ctx);
  }
}

/**
 * Sets the host that the applications see, instead of the one that the client requested. Use it for applications that
 * are served at several hosts.
 *
 * @param host The host, with its port if there is one.
 * @returns The option for {@linkcode Switch}.
 * @throws {FrameworkError} If the host is not valid.
 */
export function SetHost(host: string): SwitchOption {
  if (typeof host !== "string" || !isCommonHost(host)) {
    throw new FrameworkError("FW_CONFIG", `Cannot set the host "${String(host)}": it is not valid`);
  }
  return (options) => {
    options.Host = host;
  };
}

type Matcher = (host: string) => boolean;

/** A host of the list. */
interface Case {
  /** The name in lower case, unless the pattern is an expression. */
  readonly name: string | undefined;
  readonly matches: Matcher;
  readonly serve: Handler;
}

/**
 * Returns a function that finds the first case for a host. Names are looked up, because anyone can request a host that
 * none of 10,000 names matches.
 */
function finderOf(cases: readonly Case[]): (host: string) => Case | undefined {
  const names = new Map(cases.map(({ name }, at) => [name, at] as const).reverse());
  const expressions = [...cases.keys()].filter((at) => cases[at]?.name === undefined);
  return (host) => {
    const named = Math.min(names.get(host.toLowerCase()) ?? Infinity, names.get(hostName(host)) ?? Infinity);
    return cases[expressions.find((at) => at < named && cases[at]?.matches(host)) ?? named];
  };
}

function nameOf(pattern: string | RegExp): string | undefined {
  return typeof pattern === "string" && isCommonHost(pattern) ? pattern.toLowerCase() : undefined;
}

/** Compares hosts with a pattern. A name is compared as a whole, so that "a.com" does not match "a.com.evil.org". */
function matcherOf(pattern: string | RegExp): Matcher {
  const name = nameOf(pattern);
  if (name !== undefined) return (host) => host.toLowerCase() === name || hostName(host) === name;
  const { source, flags } = expressionOf(pattern);
  // Host names are case-insensitive, and an expression with a state would not match every second request.
  const expression = new RegExp(source, `${flags.replace(/[giy]/g, "")}i`);
  return (host) => expression.test(host) || expression.test(hostName(host));
}

function expressionOf(pattern: string | RegExp): RegExp {
  try {
    return new RegExp(pattern);
  } catch (cause) {
    throw new FrameworkError("FW_CONFIG", `Cannot match hosts with "${pattern}": it is not a regular expression`, {
      cause,
    });
  }
}

function handlerOf(
  target: Application | string,
  matches: Matcher,
  host: string | undefined,
  site: string,
): Handler {
  if (target instanceof Application) return switched(target.fetch, host, site);
  if (typeof target !== "string" || !isCommonHost(target)) {
    throw refusal(target, "it is neither an application nor a host name");
  }
  if (matches(target)) throw refusal(target, "its own pattern matches it, so it would redirect to itself");
  return function redirectToHost(ctx) {
    const { target: request } = exchangeOf(ctx);
    ctx.Redirect(sameAt(request, `${requestScheme(request)}://${target}`), movedStatus(ctx.Method()));
    ctx.StopExecution();
  };
}

function refusal(target: unknown, state: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", `Cannot switch to "${String(target)}": ${state}`);
}
