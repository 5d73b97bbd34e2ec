/**
 * Attaches the development pages to an application.
 *
 * @module
 */

import { loadModule } from "../../../base/async/lazy_module.ts";
import { WithOnListen } from "../../../base/config/configurators.ts";
import { policyOf } from "../../../http/page/document.ts";
import { setHeader, termsOf } from "../../../http/response/draft.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { userOf } from "../../context/user.ts";
import type { AppRuntime, RequestRecorder } from "../../exchange/app_runtime.ts";
import { factsOf, noteFacts } from "../../exchange/handler_facts.ts";
import type { Developed } from "../inspect/development.ts";
import { handlerName } from "../inspect/explain.ts";
import { servedIn } from "../inspect/served_routes.ts";
import { callSite } from "../record/call_site.ts";
import { traceRegistrations } from "../record/registration_site.ts";
import type { Registry } from "../record/registry.ts";
import { dashboardAddress, isOwnPath, openDashboard } from "./dashboard.ts";
import { developmentPage } from "./development_page.ts";
import { aboutFailure, type Explained } from "./failure.ts";
import { History, short } from "./history.ts";
import { ROOT } from "./page.ts";
import { type Recorded, recorded, timed } from "./recording.ts";
import { attachTerminal } from "./terminal.ts";

/** The explanations of fw's error codes. The address is computed, so that no other program reads the file. */
const explanations = new URL("../../../tools/explain/pages.ts", import.meta.url).href;

/** Records the requests of an application from now on, and serves the development pages. */
export async function attachDashboard(
  app: Developed,
  registry: Registry,
  runtime: AppRuntime,
): Promise<RequestRecorder> {
  const { pages }: { pages: Explained } = await loadModule(() => import(explanations));
  const history = new History();
  registry.wrappers.push(openDashboard({
    registry,
    runtime,
    history,
    extensions: () => app.Extensions(),
    explain: (method, path) => app.Explain(method, path),
    fetch: (request) => app.fetch(request),
  }));
  traceRegistrations(callSite);
  for (const { record: { route } } of servedIn(registry)) {
    if (!isOwnPath(route.Path)) continue;
    registry.logger.Warn(`The development pages at ${ROOT} hide the route "${route.Method} ${route.Path}"`);
  }
  registry.settings.push([new Error(), { ...runtime.config }]);
  WithOnListen((addr) => {
    history.restore();
    attachTerminal(registry.logger, () => recorded()?.entry);
    if (!runtime.config.StartupLog) return;
    registry.logger.Info(`Development pages: ${dashboardAddress(addr, runtime.basePath)}`);
  })(runtime.config);
  return {
    timed: (chain) => timedChain(chain as readonly Handler[], registry),
    page: (failed) => {
      const codes = Object.fromEntries(app.Extensions().flatMap(({ Errors }) => Object.entries(Errors)));
      const routes = servedIn(registry).filter(({ hosts }) => hosts.length === 0).map(({ record }) => record.route);
      const { basePath } = runtime;
      setHeader(failed.draft, "content-security-policy", policyOf());
      return developmentPage(failed, routes, (place) => aboutFailure({ failed, place, codes, pages, basePath }));
    },
  };
}

const chains = new WeakMap<readonly Handler[], readonly Handler[]>();

/** Returns the handlers of a chain, each of which is an event of the recorded request. */
function timedChain(chain: readonly Handler[], { routes }: Registry): readonly Handler[] {
  const known = chains.get(chain);
  if (known !== undefined) return known;
  const own = chain.map((handler, at) => {
    const record = routes.find(({ handlers }) => handlers.includes(handler));
    const name = record !== undefined ? handlerName(handler, record) : handler.name;
    const title = short(name === "(anonymous)" || name === "" ? `(handler ${at + 1})` : name);
    const kind = record === undefined ? "middleware" : "handler";
    const run: Handler = (ctx) => {
      const found = recorded();
      if (found === undefined) return handler(ctx);
      note(found, ctx);
      return timed(found, kind, title, () => handler(ctx));
    };
    // In tests, a guard is recognized by its metadata.
    return noteFacts(Object.defineProperty(run, "name", { value: handler.name }), factsOf(handler));
  });
  chains.set(chain, own);
  return own;
}

/** Adds the route and the user to the recorded request. Those of the innermost application remain. */
function note(found: Recorded, ctx: Context): void {
  const exchange = exchangeOf(ctx);
  const { entry } = found;
  if (found.draft !== exchange.draft) {
    found.draft = exchange.draft;
    // The length of JSON is only known as text.
    termsOf(exchange.draft).keepsText = true;
  }
  entry.Route = exchange.route.info?.Name ?? entry.Route;
  entry.User = userOf(exchange)?.ID ?? entry.User;
}
