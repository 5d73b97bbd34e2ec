/**
 * Counts requests and measures durations by route, method and status code.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import { Extend } from "../../core/context/extend.ts";
import type { HostApp } from "../../core/context/extension.ts";
import type { Handler } from "../../core/context/handler.ts";
import { beforeSending } from "../../core/exchange/ending/end_tasks.ts";
import type { Measured } from "../../core/exchange/meter.ts";
import { labelsOf } from "../../core/exchange/labels.ts";
import { Methods } from "../../http/headers/methods.ts";
import { isStreamed } from "../../http/response/draft.ts";

const known: ReadonlySet<string> = new Set(Methods);

/** The requests with the same route, method and status code. */
export interface Series {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** The labels of extensions, by name. */
  readonly others: readonly (readonly [string, string])[];
  /** The number of requests per bucket. The last bucket is for requests above all bounds. */
  readonly buckets: number[];
  count: number;
  /** The number of responses that failed while they were being sent. */
  broken: number;
  /** The sum of the durations, in seconds. */
  sum: number;
}

/** Counts the requests of an application. */
export class Collector {
  /**
   * The series by route, method and status code. The number of values for each is limited, so clients cannot make the
   * map grow.
   */
  readonly #series = new Map<string, Series>();
  readonly #bounds: readonly number[];
  #active = 0;
  #app: HostApp | undefined = undefined;

  /** Creates a collector with the upper bounds of the buckets, in seconds. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** Returns the number of requests in flight. */
  get active(): number {
    return this.#active;
  }

  /** Returns the measurements of other parts of the application. */
  measured(): Measured[] {
    return this.#app?.Extensions().flatMap((extension) => extension.Measure()) ?? [];
  }

  /** Returns all series. */
  series(): Iterable<Series> {
    return this.#series.values();
  }

  /**
   * Returns the request-counting middleware.
   *
   * @param name The name of the extension that it carries.
   */
  handler(name: string): Handler {
    const metrics: Handler = (ctx) => {
      if (exchangeOf(ctx).target.outer?.isRenewal) return ctx.Next();
      const started = performance.now();
      this.#active++;
      beforeSending(exchangeOf(ctx), () => {
        // A stream continues after its handler has returned.
        if (isStreamed(exchangeOf(ctx).draft)) ctx.OnClose(() => this.#end(ctx, started));
        else this.#end(ctx, started);
      });
      return ctx.Next();
    };
    return Extend(metrics, { Name: name, Many: true, Install: (host) => this.attach(host.App) });
  }

  /** Sets the application whose extensions are measured. */
  attach(app: HostApp): void {
    this.#app = app;
  }

  #end(ctx: Context, started: number): void {
    this.#active--;
    const info = ctx.GetCurrentRoute();
    const route = info === undefined ? "" : info.Subdomain + info.Path;
    const method = known.has(ctx.Method()) ? ctx.Method() : "_OTHER";
    const status = ctx.GetStatusCode();
    const others = labelsFor(ctx);
    const key = `${status} ${method} ${route}${others.map(([name, value]) => ` ${name}=${value}`).join("")}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const buckets = new Array(this.#bounds.length + 1).fill(0);
      this.#series.set(key, series = { route, method, status, others, buckets, count: 0, broken: 0, sum: 0 });
    }
    const seconds = (performance.now() - started) / 1000;
    series.count++;
    series.sum += seconds;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    const bucket = at < 0 ? this.#bounds.length : at;
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
    if (exchangeOf(ctx).extras?.broken !== undefined) series.broken++;
  }
}

/** Returns the labels of extensions. Values that an extension has not declared are not distinguished. */
function labelsFor(ctx: Context): readonly (readonly [string, string])[] {
  return labelsOf(exchangeOf(ctx)).flatMap(({ rule: { name, metric }, value }) =>
    metric === undefined ? [] : [[name, value !== undefined && metric.has(value) ? value : "other"] as const]
  );
}
