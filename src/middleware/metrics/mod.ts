/**
 * Request metrics in the Prometheus format. The middleware collects them, and a page exposes them.
 *
 * The metrics include request counts, durations and requests in flight, by route, method and status code. A client that
 * disconnects before the response is counted with status 499. A response that fails while it is being sent is counted
 * with the status that the client has received, and again in `http_server_broken_responses_total`. This module has no
 * dependencies. If you use OpenTelemetry, prefer Deno's own metrics with `@fw/web/middleware/telemetry`.
 *
 * {@linkcode New} returns an object instead of a handler, because the metrics are also read. Its `Handler()` is the
 * middleware.
 *
 * @example Expose metrics for Prometheus
 * ```ts
 * import * as fw from "@fw/web";
 * import * as metrics from "@fw/web/middleware/metrics";
 *
 * const counted = metrics.New();
 * const app = fw.New();
 * app.UseRouter(counted.Handler()); // UseRouter, so that requests without a route are counted as well
 * app.Get("/metrics", counted.Page()); // protect it with a guard, or serve it on a separate address
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

import type { Handler } from "../../core/context/handler.ts";
import { asPage } from "../../core/exchange/handler_facts.ts";
import type { Measured } from "../../core/exchange/meter.ts";
import { Collector, type Series } from "./collector.ts";

/** The upper bounds of the duration buckets in seconds, as recommended by OpenTelemetry. */
const bounds: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metrics of an application, created by {@linkcode New}. */
export class Metrics {
  readonly #collector = new Collector(bounds);

  /**
   * Creates the middleware that collects the metrics. Register it with `UseRouter`.
   *
   * @returns The middleware.
   */
  Handler(): Handler {
    return this.#collector.handler("metrics");
  }

  /**
   * Creates the handler for the page that Prometheus scrapes.
   *
   * @returns The handler.
   */
  Page(): Handler {
    const metricsPage: Handler = (ctx) => {
      ctx.ContentType("text/plain; version=0.0.4; charset=utf-8");
      ctx.Header("cache-control", "no-store");
      ctx.WriteString(this.Text());
    };
    return asPage(metricsPage);
  }

  /**
   * Returns the metrics in the Prometheus format.
   *
   * @returns The page content.
   */
  Text(): string {
    const duration = "http_server_request_duration_seconds";
    const broken = "http_server_broken_responses_total";
    const { rss, heapUsed } = Deno.memoryUsage();
    return [
      ...family(duration, "histogram", "Duration of HTTP requests."),
      ...[...this.#collector.series()].flatMap((series) => histogram(duration, series)),
      ...family(broken, "counter", "Number of responses that failed while they were being sent."),
      ...[...this.#collector.series()].filter((series) => series.broken > 0)
        .map((series) => `${broken}{${labelsOf(series)}} ${series.broken}`),
      ...family("http_server_active_requests", "gauge", "Number of requests in flight."),
      `http_server_active_requests ${this.#collector.active}`,
      ...others(this.#collector.measured()),
      ...family("process_resident_memory_bytes", "gauge", "Resident memory size in bytes."),
      `process_resident_memory_bytes ${rss}`,
      ...family("process_heap_bytes", "gauge", "JavaScript heap size in bytes."),
      `process_heap_bytes ${heapUsed}`,
      ...family("process_start_time_seconds", "gauge", "Start time of the process in seconds since the Unix epoch."),
      `process_start_time_seconds ${performance.timeOrigin / 1000}`,
      "",
    ].join("\n");
  }
}

/**
 * Creates the metrics of an application.
 *
 * @returns The metrics. Register `Handler()` as middleware and `Page()` as the handler of a route.
 */
export function New(): Metrics {
  return new Metrics();
}

function family(name: string, type: string, help: string): string[] {
  return [
    `# HELP ${name} ${help.replace(/[\\\n]/g, (char) => char === "\n" ? "\\n" : "\\\\")}`,
    `# TYPE ${name} ${type}`,
  ];
}

/**
 * Returns the numbers of other parts, with one family per name. Two applications may have the same extension, and
 * Prometheus rejects a page that contains a series twice, so their numbers are added.
 */
function others(measured: readonly Measured[]): string[] {
  return [...Map.groupBy(measured, ({ Name }) => Name)].flatMap(([name, group]) => [
    ...group.slice(0, 1).flatMap(({ Type, Help }) => family(name, Type, Help)),
    ...[...Map.groupBy(group, ({ Labels }) => Labels === undefined ? "" : `{${labelText(Labels)}}`)]
      .map(([labels, same]) => `${name}${labels} ${same.reduce((sum, { Value }) => sum + Value, 0)}`),
  ]);
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`).join(",");
}

function histogram(name: string, series: Series): string[] {
  const labels = labelsOf(series);
  const lines: string[] = [];
  let total = 0;
  for (const [index, count] of series.buckets.entries()) {
    total += count;
    lines.push(`${name}_bucket{${labels},le="${bounds[index] ?? "+Inf"}"} ${total}`);
  }
  return [...lines, `${name}_sum{${labels}} ${series.sum}`, `${name}_count{${labels}} ${series.count}`];
}

function labelsOf({ method, route, status, others }: Series): string {
  const own = `http_request_method="${method}",http_route="${escaped(route)}",http_response_status_code="${status}"`;
  return own + others.map(([name, value]) => `,${name}="${escaped(value)}"`).join("");
}

/** Escapes a label value. A regular expression in a route may contain any character. */
function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => char === "\n" ? "\\n" : `\\${char}`);
}
