/**
 * Middleware that counts requests, and a page in the format of Prometheus that tells how many there were, how long they
 * took and how many are under way, by route, method and status. There is no dependency. Where OpenTelemetry collects,
 * Deno's own metrics with `@fw/web/middleware/telemetry` serve better.
 *
 * @example Numbers for Prometheus
 * ```ts
 * import * as fw from "@fw/web";
 * import * as metrics from "@fw/web/middleware/metrics";
 *
 * const counted = metrics.New();
 * const app = fw.New();
 * app.UseRouter(counted.Handler()); // UseRouter: requests without a route are counted as well
 * app.Get("/metrics", counted.Page()); // behind a guard, or on an address of its own
 * app.Get("/users/{id:int}", (ctx) => ctx.WriteString("ada"));
 *
 * await app.fetch(new Request("http://localhost/users/5"));
 * const page = await (await app.fetch(new Request("http://localhost/metrics"))).text();
 * const labels = 'http_request_method="GET",http_route="/users/{id:int}",http_response_status_code="200"';
 * page.includes(`http_server_request_duration_seconds_count{${labels}} 1`); // → true
 * ```
 *
 * @module
 */

import type { Handler } from "../../context/handler.ts";
import { Collector, type Series } from "./collector.ts";

/** The upper bounds of the duration's buckets in seconds, as OpenTelemetry advises. */
const bounds: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** What was counted, created by {@linkcode New}. */
export class Metrics {
  readonly #collector = new Collector(bounds);

  /**
   * Creates the middleware that counts; give it to `UseRouter`.
   *
   * @returns The handler.
   */
  Handler(): Handler {
    return this.#collector.handler();
  }

  /**
   * Creates the handler of the page that Prometheus reads.
   *
   * @returns The handler.
   */
  Page(): Handler {
    return (ctx) => {
      ctx.ContentType("text/plain; version=0.0.4; charset=utf-8");
      ctx.Header("cache-control", "no-store");
      ctx.WriteString(this.Text());
    };
  }

  /**
   * What was counted, in the format of Prometheus.
   *
   * @returns The text of the page.
   */
  Text(): string {
    const duration = "http_server_request_duration_seconds";
    const { rss, heapUsed } = Deno.memoryUsage();
    return [
      ...family(duration, "histogram", "Duration of requests."),
      ...[...this.#collector.series()].flatMap((series) => histogram(duration, series)),
      ...family("http_server_active_requests", "gauge", "Requests under way."),
      `http_server_active_requests ${this.#collector.active}`,
      ...this.#collector.measured().flatMap(({ Name, Type, Help, Value }) => [
        ...family(Name, Type, Help),
        `${Name} ${Value}`,
      ]),
      ...family("process_resident_memory_bytes", "gauge", "Memory of the process."),
      `process_resident_memory_bytes ${rss}`,
      ...family("process_heap_bytes", "gauge", "Memory that JavaScript uses."),
      `process_heap_bytes ${heapUsed}`,
      ...family("process_start_time_seconds", "gauge", "When the process began, in seconds since 1970."),
      `process_start_time_seconds ${performance.timeOrigin / 1000}`,
      "",
    ].join("\n");
  }
}

/**
 * Creates the counters of an application.
 *
 * @returns The counters: `Handler()` is their middleware, `Page()` shows them.
 */
export function New(): Metrics {
  return new Metrics();
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function histogram(name: string, series: Series): string[] {
  const labels = `http_request_method="${series.method}",http_route="${escaped(series.route)}",` +
    `http_response_status_code="${series.status}"`;
  const lines: string[] = [];
  let total = 0;
  for (const [index, count] of series.buckets.entries()) {
    total += count;
    lines.push(`${name}_bucket{${labels},le="${bounds[index] ?? "+Inf"}"} ${total}`);
  }
  return [...lines, `${name}_sum{${labels}} ${series.sum}`, `${name}_count{${labels}} ${series.count}`];
}

/** A route as the value of a label: a regular expression in it may hold anything. */
function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => char === "\n" ? "\\n" : `\\${char}`);
}
