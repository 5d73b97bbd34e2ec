/**
 * Process and request statistics.
 *
 * @module
 */

import process from "node:process";
import type { Measured } from "../../core/exchange/meter.ts";
import { Collector, type Series } from "../metrics/collector.ts";

/** A snapshot of the statistics. Request numbers are totals since the start of the process. */
export interface Stats {
  /** The time of the snapshot, in milliseconds since 1970. */
  readonly Time: number;
  /** The uptime of the process, in milliseconds. */
  readonly Uptime: number;
  /** The Deno version. */
  readonly Version: string;
  /** The process ID. */
  readonly PID: number;
  /** The memory usage, in bytes. */
  readonly Memory: Readonly<Deno.MemoryUsage>;
  /** The CPU time used, in milliseconds. */
  readonly CPU: number;
  /** The event loop delay, in milliseconds: how late a timer fires because of synchronous code. */
  readonly LoopDelay: number;
  /** The number of requests served. */
  readonly Requests: number;
  /** The total duration of these requests, in milliseconds. */
  readonly Duration: number;
  /** The number of requests in flight. */
  readonly Active: number;
  /** The number of responses with a status code of 500 or higher, or that failed while they were being sent. */
  readonly Errors: number;
  /** The routes with the most requests. */
  readonly Routes: readonly RouteStats[];
  /** The measurements of other parts of the application, such as WebSocket connections. */
  readonly Others: readonly Measured[];
}

/** The statistics of a route. Durations are in milliseconds. */
export interface RouteStats {
  /** The method and the route template, or `(no route)` instead of the template if no route matched. */
  readonly Route: string;
  /** The number of requests served. */
  readonly Requests: number;
  /** The number of responses with a status code from 400 to 499. */
  readonly Refused: number;
  /** The number of responses with a status code of 500 or higher, or that failed while they were being sent. */
  readonly Errors: number;
  /** The mean duration. */
  readonly Mean: number;
  /** The median duration. */
  readonly P50: number;
  /** The 95th percentile of the duration. */
  readonly P95: number;
  /** The 99th percentile of the duration. */
  readonly P99: number;
}

/** The bucket bounds from 0.1 ms to 26 s, each 1.5 times the previous one. */
const bounds: readonly number[] = Array.from({ length: 32 }, (_, index) => 0.0001 * 1.5 ** index);
/** The maximum number of routes shown. */
const mostRoutes = 20;
/** The delay of the timer that measures the event loop delay, in milliseconds. */
const probe = 5;

/** Creates a collector of the measurements that the statistics need. */
export function newCollector(): Collector {
  return new Collector(bounds);
}

/** Returns the statistics of an application. */
export async function statsOf(collector: Collector): Promise<Stats> {
  const routes = routesOf(collector.series());
  const { user, system } = process.cpuUsage();
  return {
    Time: Date.now(),
    Uptime: performance.now(),
    Version: Deno.version.deno,
    PID: Deno.pid,
    Memory: Deno.memoryUsage(),
    CPU: (user + system) / 1000,
    LoopDelay: await loopDelay(),
    Requests: routes.reduce((sum, route) => sum + route.Requests, 0),
    Duration: routes.reduce((sum, route) => sum + route.Requests * route.Mean, 0),
    Active: collector.active,
    Errors: routes.reduce((sum, route) => sum + route.Errors, 0),
    Routes: routes.slice(0, mostRoutes),
    Others: collector.measured(),
  };
}

async function loopDelay(): Promise<number> {
  const begin = performance.now();
  await new Promise((resolve) => setTimeout(resolve, probe));
  return Math.max(performance.now() - begin - probe, 0);
}

/** Combines the status codes of each route and sorts routes by their number of requests. */
function routesOf(all: Iterable<Series>): RouteStats[] {
  const groups = Map.groupBy(all, (series) => `${series.method} ${series.route || "(no route)"}`);
  return [...groups].map(([name, group]) => routeOf(name, group)).sort((a, b) => b.Requests - a.Requests);
}

function routeOf(name: string, group: readonly Series[]): RouteStats {
  const buckets = bounds.map((_, index) => sumOf(group, (series) => series.buckets[index] ?? 0));
  const count = sumOf(group, (series) => series.count);
  return {
    Route: name,
    Requests: count,
    Refused: sumOf(group, (series) => series.status >= 400 && series.status < 500 ? series.count : 0),
    Errors: sumOf(group, (series) => series.status >= 500 ? series.count : series.broken),
    Mean: count === 0 ? 0 : 1000 * sumOf(group, (series) => series.sum) / count,
    P50: quantile(buckets, count, 0.5),
    P95: quantile(buckets, count, 0.95),
    P99: quantile(buckets, count, 0.99),
  };
}

/** Returns a quantile in milliseconds. The result is the upper bound of the bucket that contains the quantile. */
function quantile(buckets: readonly number[], count: number, share: number): number {
  let seen = 0;
  for (const [index, inBucket] of buckets.entries()) {
    seen += inBucket;
    if (seen >= count * share && seen > 0) return 1000 * (bounds[index] ?? 0);
  }
  return 1000 * (bounds.at(-1) ?? 0);
}

function sumOf(group: readonly Series[], read: (series: Series) => number): number {
  return group.reduce((sum, series) => sum + read(series), 0);
}
