/**
 * Counts requests and their duration, by route, method and status.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../context/context.ts";
import { beforeSending } from "../../context/ending/end_tasks.ts";
import type { Handler } from "../../context/handler.ts";
import type { Measured, Meter } from "../../context/meter.ts";
import { Methods } from "../../http/methods.ts";
import { isStreamed } from "../../response/draft.ts";

const known: ReadonlySet<string> = new Set(Methods);

/** What requests are told apart by. */
export interface Labels {
  readonly route: string;
  readonly method: string;
  readonly status: number;
}

/** The requests of one route, method and status. */
export class Series implements Labels {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** The upper bounds of the buckets, in seconds. */
  readonly bounds: readonly number[];
  /** How many requests fell into each bucket; the last is for those above all bounds. */
  readonly buckets: number[];
  count = 0;
  /** The sum of their durations, in seconds. */
  sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.route = labels.route;
    this.method = labels.method;
    this.status = labels.status;
    this.bounds = bounds;
    this.buckets = new Array(bounds.length + 1).fill(0);
  }

  add(seconds: number): void {
    this.count++;
    this.sum += seconds;
    const at = this.bounds.findIndex((bound) => seconds <= bound);
    const bucket = at < 0 ? this.bounds.length : at;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
  }
}

/** Counts the requests of one application. */
export class Collector {
  /**
   * By the name of the route, its method and the status. Clients cannot make it grow: all three are of limited number.
   */
  readonly #series = new Map<string, Series>();
  readonly #bounds: readonly number[];
  #active = 0;
  #meters: ReadonlySet<Meter> | undefined = undefined;

  /** Takes the upper bounds of the buckets, in seconds. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** How many requests are under way. */
  get active(): number {
    return this.#active;
  }

  /** What parts beside requests count. */
  measured(): Measured[] {
    return [...this.#meters ?? []].flatMap((meter) => meter());
  }

  /** All that was counted. */
  series(): Iterable<Series> {
    return this.#series.values();
  }

  /** The middleware that counts. */
  handler(): Handler {
    return (ctx) => {
      const started = performance.now();
      this.#active++;
      beforeSending(exchangeOf(ctx), () => {
        // A stream lasts longer than its handler.
        if (isStreamed(exchangeOf(ctx).draft)) ctx.OnClose(() => this.#end(ctx, started));
        else this.#end(ctx, started);
      });
      this.#meters ??= exchangeOf(ctx).runtime.meters;
      return ctx.Next();
    };
  }

  #end(ctx: Context, started: number): void {
    this.#active--;
    const info = ctx.GetCurrentRoute();
    const route = info === undefined ? "" : info.Subdomain + info.Path;
    const method = known.has(ctx.Method()) ? ctx.Method() : "_OTHER";
    const status = ctx.GetStatusCode();
    const key = `${status} ${method} ${route}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = new Series({ route, method, status }, this.#bounds);
      this.#series.set(key, series);
    }
    series.add((performance.now() - started) / 1000);
  }
}
