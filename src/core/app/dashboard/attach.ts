/**
 * Attaches the development pages to an application.
 *
 * @module
 */

import { WithOnListen } from "../../../base/config/configurators.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { userOf } from "../../context/user.ts";
import type { AppRuntime, RequestRecorder } from "../../exchange/app_runtime.ts";
import type { Developed } from "../inspect/development.ts";
import type { Registry } from "../record/registry.ts";
import { dashboardAddress, openDashboard } from "./dashboard.ts";
import type { RequestEntry } from "./history.ts";
import { ROOT } from "./page.ts";
import { recorded, timed } from "./recording.ts";

/** Records the requests of an application from now on, and serves the development pages. */
export function attachDashboard(app: Developed, registry: Registry, runtime: AppRuntime): RequestRecorder {
  registry.wrappers.push(openDashboard({
    registry,
    runtime,
    extensions: () => app.Extensions(),
    explain: (method, path) => app.Explain(method, path),
    fetch: (request) => app.fetch(request),
  }));
  if (runtime.config.StartupLog) {
    WithOnListen((addr) => {
      registry.logger.Info(`Development pages: ${dashboardAddress(addr, runtime.basePath)}`);
    })(runtime.config);
  }
  return {
    timed: (chain) => timedChain(chain as readonly Handler[]),
    timeline: () => {
      const id = recorded()?.entry.ID;
      return id === undefined ? undefined : `${runtime.basePath}${ROOT}/requests/${id}`;
    },
  };
}

const chains = new WeakMap<readonly Handler[], readonly Handler[]>();

/** Returns the handlers of a chain, each of which is an event of the recorded request. */
function timedChain(chain: readonly Handler[]): readonly Handler[] {
  const known = chains.get(chain);
  if (known !== undefined) return known;
  const own = chain.map((handler, at) => {
    const title = handler.name || `(handler ${at + 1})`;
    const run: Handler = (ctx) => {
      const found = recorded();
      if (found === undefined) return handler(ctx);
      note(found.entry, ctx);
      return timed("handler", title, () => handler(ctx));
    };
    return Object.defineProperty(run, "name", { value: handler.name });
  });
  chains.set(chain, own);
  return own;
}

/** Adds the route and the user to the recorded request. Those of the innermost application remain. */
function note(entry: RequestEntry, ctx: Context): void {
  const exchange = exchangeOf(ctx);
  entry.Route = exchange.route.info?.Name ?? entry.Route;
  entry.User = userOf(exchange)?.ID ?? entry.User;
}
