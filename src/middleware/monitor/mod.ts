/**
 * A page that shows what the process does: requests per second, requests under way, errors, memory, processor, the
 * delay of the event loop, and the routes with their durations.
 *
 * @example A page for those who may see it
 * ```ts
 * import * as fw from "@fw/web";
 * import * as monitor from "@fw/web/middleware/monitor";
 *
 * const watched = monitor.New({ Title: "Teahouse" });
 * const app = fw.New();
 * app.UseRouter(watched.Handler());
 * watched.Register(app.Party("/monitor")); // give the party a guard, such as basicauth
 * app.Get("/teas/{id:int}", (ctx) => ctx.WriteString("Assam"));
 *
 * await app.fetch(new Request("http://localhost/teas/7"));
 * const page = await app.fetch(new Request("http://localhost/monitor"));
 * (await page.text()).includes("<h1>Teahouse</h1>"); // → true
 * const stats = await (await app.fetch(new Request("http://localhost/monitor/stats"))).json();
 * stats.Routes[0].Route; // → "GET /teas/{id:int}"
 * ```
 *
 * Nothing runs while the page is not looked at, but for the counting of requests. The page loads nothing from elsewhere
 * and needs no permission. It tells much of the inside of an application: put a guard before it.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import type { Handler } from "../../context/handler.ts";
import { pageOf } from "./page.ts";
import { type Stats, StatsSource } from "./stats.ts";

export type { Measured } from "../../context/meter.ts";
export type { RouteStats, Stats } from "./stats.ts";

/** How the page looks. */
export interface Options {
  /** Its title; `Monitor` unless given. */
  Title?: string;
  /** How often it asks for new numbers, in milliseconds; 2000 unless given. */
  RefreshInterval?: number;
}

/** The part of a party that {@linkcode Monitor.Register} uses. */
export interface Registrable {
  /** Registers a route. */
  Get(path: string, ...handlers: Handler[]): unknown;
}

/** What watches an application, created by {@linkcode New}. */
export class Monitor {
  readonly #source = new StatsSource();
  readonly #title: string;
  readonly #interval: number;

  /**
   * Created by {@linkcode New}.
   *
   * @param options How the page looks.
   */
  constructor(options: Options) {
    this.#title = options.Title ?? "Monitor";
    this.#interval = options.RefreshInterval ?? 2000;
    if (!(this.#interval >= 100)) {
      throw new FrameworkError("FW_CONFIG", `Cannot refresh every "${this.#interval}" ms: it must be 100 or more`);
    }
  }

  /**
   * Creates the middleware that counts; give it to `UseRouter`.
   *
   * @returns The handler.
   */
  Handler(): Handler {
    return this.#source.collector.handler();
  }

  /**
   * Registers the page, and below it the path that it asks for its numbers.
   *
   * @param party The party whose path is that of the page.
   * @returns This monitor.
   */
  Register(party: Registrable): this {
    party.Get("/", this.#page());
    party.Get("/stats", async (ctx) => {
      ctx.Header("cache-control", "no-store");
      const stats = await this.Stats();
      // Not the one that asks.
      ctx.JSON({ ...stats, Active: Math.max(stats.Active - 1, 0) });
    });
    return this;
  }

  /**
   * Takes the numbers of this moment.
   *
   * @returns The numbers.
   */
  Stats(): Promise<Stats> {
    return this.#source.take();
  }

  #page(): Handler {
    return (ctx) => {
      const nonce = crypto.getRandomValues(new Uint8Array(16)).toBase64();
      ctx.Header("cache-control", "no-store");
      ctx.Header(
        "content-security-policy",
        `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; ` +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      ctx.HTML(pageOf({ title: this.#title, interval: this.#interval, nonce }));
    };
  }
}

/**
 * Creates a monitor.
 *
 * @param options How its page looks.
 * @returns The monitor: `Handler()` is its middleware, `Register` adds its page.
 */
export function New(options: Options = {}): Monitor {
  return new Monitor(options);
}
