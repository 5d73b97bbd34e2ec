/**
 * Redirects between the hosts of an application.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { movedStatus } from "../../http/response/redirect.ts";
import { exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { originAt, sameAt } from "../exchange/public_url.ts";
import { type Party, recordOf } from "./party.ts";
import type { Registry } from "./record/registry.ts";
import type { HostRedirect } from "./serve/subdomain_redirect.ts";

/** Records a redirect from the host of one party to that of another. It runs before all other wrappers. */
export function recordRedirect(registry: Registry, from: Party, to: Party): void {
  const redirect: HostRedirect = { from: hostOf(from), to: targetOf(to) };
  if (redirect.from === redirect.to) throw refusal(redirect.to, "it would redirect to itself");
  registry.loads.push(async (runtime) => {
    const { subdomainRedirect } = await loadModule(() => import("./serve/subdomain_redirect.ts"));
    registry.wrappers.push(subdomainRedirect(runtime, registry, redirect));
  });
}

/**
 * Creates middleware that redirects requests to another host of the application, with their path and query string.
 * Register it with `UseRouter` on the party of a subdomain. GET and HEAD requests are redirected with status 301, and
 * all others with 308. Requests to the target itself are not redirected.
 *
 * @param to The application itself for the root domain, or the party of a subdomain.
 * @returns The middleware.
 * @throws {FrameworkError} If the target is `*.` or has a path.
 *
 * @example Redirect a subdomain that has moved
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * const shop = app.Subdomain("shop");
 * shop.Get("/teas", (ctx) => ctx.WriteString("Assam"));
 * app.Subdomain("store").UseRouter(fw.NewSubdomainPartyRedirectHandler(shop));
 *
 * const response = await app.fetch(new Request("http://store.example.com/teas"));
 * response.headers.get("location"); // → "http://shop.example.com/teas"
 * ```
 */
export function NewSubdomainPartyRedirectHandler(to: Party): Handler {
  const subdomain = targetOf(to);
  return function redirectToSubdomain(ctx) {
    if (ctx.SubdomainFull() === subdomain) return ctx.Next();
    const { target } = exchangeOf(ctx);
    ctx.Redirect(sameAt(target, originAt(target, subdomain)), movedStatus(ctx.Method()));
    ctx.StopExecution();
  };
}

function targetOf(party: Party): string {
  const subdomain = hostOf(party);
  if (subdomain === "*.") throw refusal(subdomain, "it has several hosts");
  return subdomain;
}

function hostOf(party: Party): string {
  const { prefix, subdomain } = recordOf(party);
  if (prefix !== "/") throw refusal(prefix, "it is a path, not a host");
  return subdomain;
}

function refusal(host: string, state: string): FrameworkError {
  return new FrameworkError("FW_ROUTE", `Cannot redirect the host "${host || "/"}": ${state}`);
}
