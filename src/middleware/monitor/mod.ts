/**
 * A live status page for a running process. It shows requests per second, requests in flight, errors, memory, CPU,
 * event loop delay and the durations per route.
 *
 * While the page is closed, the monitor does nothing except count requests. The page does not load external resources
 * and does not need permissions. It reveals internals of the application, so protect it with a guard.
 *
 * {@linkcode New} returns an object instead of a handler, because a monitor also has a page. Its `Handler()` is the
 * middleware.
 *
 * @example Add a status page
 * ```ts
 * import * as fw from "@fw/web";
 * import * as monitor from "@fw/web/middleware/monitor";
 *
 * const watched = monitor.New({ Title: "Teahouse" });
 * const app = fw.New();
 * app.UseRouter(watched.Handler());
 * watched.Register(app.Party("/monitor")); // protect the party with a guard, such as basicauth
 * app.Get("/teas/{id:int}", (ctx) => ctx.WriteString("Assam"));
 *
 * await app.fetch(new Request("http://localhost/teas/7"));
 * const page = await app.fetch(new Request("http://localhost/monitor"));
 * (await page.text()).includes("<h1>Teahouse</h1>"); // → true
 * const stats = await (await app.fetch(new Request("http://localhost/monitor/stats"))).json();
 * stats.Routes[0].Route; // → "GET /teas/{id:int}"
 * ```
 *
 * @module
 */

import { text, timeLimit } from "../../base/config/option_kinds.ts";
import { installable } from "../../base/config/option_shapes.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Context } from "../../core/context/context.ts";
import type { Host, HostParty } from "../../core/context/extension.ts";
import type { Handler } from "../../core/context/handler.ts";
import { policyOf } from "../../http/page/document.ts";
import { media, pageOf } from "./page.ts";
import { newCollector, type Stats, statsOf } from "./stats.ts";

export type { Measured } from "../../core/exchange/meter.ts";
export type { RouteStats, Stats } from "./stats.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The page title.
   *
   * @default {"Monitor"}
   */
  Title?: string;
  /**
   * The page's refresh interval, in milliseconds.
   *
   * @default {2000}
   */
  RefreshInterval?: number;
}

/** The part of a party that {@linkcode Monitor.Register} uses. */
export type Registrable = Pick<HostParty, "Install">;

/** A monitor for an application, created by {@linkcode New}. */
export class Monitor {
  readonly #collector = newCollector();
  readonly #title: string;
  readonly #interval: number;

  /**
   * Created by {@linkcode New}.
   *
   * @param options The options.
   */
  constructor(options: Options) {
    const { Title, RefreshInterval } = readOptions(table, options);
    this.#title = Title;
    this.#interval = RefreshInterval;
  }

  /**
   * Creates the middleware that collects the statistics. Register it with `UseRouter`.
   *
   * @returns The middleware.
   */
  Handler(): Handler {
    return this.#collector.handler("monitor");
  }

  /**
   * Registers the page and its data endpoint, `/stats`.
   *
   * @param party The party at whose path the page is served.
   * @returns This monitor, for chaining.
   */
  Register(party: Registrable): this {
    const Install = (host: Host) => {
      this.#collector.attach(host.App);
      host.Page("/", (ctx: Context) => this.#show(ctx));
      host.Page("/stats", async (ctx: Context) => {
        ctx.Header("cache-control", "no-store");
        const stats = await this.Stats();
        // Exclude the current request.
        ctx.JSON({ ...stats, Active: Math.max(stats.Active - 1, 0) });
      });
    };
    checkArgument(party, installable, "party", "monitor.Register");
    party.Install({ Name: "monitor", Many: true, Install });
    return this;
  }

  /**
   * Returns the current statistics.
   *
   * @returns The statistics.
   */
  Stats(): Promise<Stats> {
    return statsOf(this.#collector);
  }

  #show(ctx: Context): void {
    ctx.Header("cache-control", "no-store");
    ctx.Header(
      "content-security-policy",
      policyOf(media, "connect-src 'self'; form-action 'none'; frame-ancestors 'none'"),
    );
    ctx.HTML(pageOf(this.#title, this.#interval));
  }
}

const table = optionTable<Options>("middleware/monitor.Options", "monitor")({
  Title: text("Monitor"),
  RefreshInterval: timeLimit(2_000, { from: 100 }),
});

/**
 * Creates a monitor.
 *
 * @param options The options.
 * @returns The monitor. Register `Handler()` as middleware and call `Register` to add the page.
 * @throws {FrameworkError} If the refresh interval is too short.
 */
export function New(options: Options = {}): Monitor {
  return new Monitor(options);
}
