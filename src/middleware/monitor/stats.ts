/**
 * What a process does, in numbers.
 *
 * @module
 */

import process from "node:process";
import type { Measured } from "../../context/meter.ts";
import { Collector, type Series } from "../metrics/collector.ts";

/** The numbers of one moment; those of requests count from the start of the process. */
export interface Stats {
  /** When they were taken, in milliseconds since 1970. */
  readonly Time: number;
  /** How long the process has been running, in milliseconds. */
  readonly Uptime: number;
  /** The version of Deno. */
  readonly Version: string;
  /** The number of the process. */
  readonly PID: number;
  /** Its memory, in bytes. */
  readonly Memory: Readonly<Deno.MemoryUsage>;
  /** How much time of a processor it has used, in milliseconds. */
  readonly CPU: number;
  /** How late a timer fires, in milliseconds: what handlers that do not await make others wait. */
  readonly LoopDelay: number;
  /** How many requests were served. */
  readonly Requests: number;
  /** How long they took together, in milliseconds. */
  readonly Duration: number;
  /** How many are under way. */
  readonly Active: number;
  /** How many got a status of 500 or more. */
  readonly Errors: number;
  /** The routes with the most requests. */
  readonly Routes: readonly RouteStats[];
  /** What parts beside requests count, such as the connections of WebSockets. */
  readonly Others: readonly Measured[];
}

/** The numbers of one route; durations in milliseconds. */
export interface RouteStats {
  /** Method and template; `(no route)` in place of a template where a path led nowhere. */
  readonly Route: string;
  /** How many requests were served. */
  readonly Requests: number;
  /** How many got a status of 400 to 499. */
  readonly Refused: number;
  /** How many got a status of 500 or more. */
  readonly Errors: number;
  /** The mean duration. */
  readonly Mean: number;
  /** What half of the requests stay below. */
  readonly P50: number;
  /** What 95 of 100 stay below. */
  readonly P95: number;
  /** What 99 of 100 stay below. */
  readonly P99: number;
}

/** Bounds of buckets from 0.1 ms to 26 s, each half as large again as the one before. */
const bounds: readonly number[] = Array.from({ length: 32 }, (_, index) => 0.0001 * 1.5 ** index);
/** How many routes are shown. */
const mostRoutes = 20;
/** The timer by which the delay is measured, in milliseconds. */
const probe = 5;

/** Collects the numbers of an application. */
export class StatsSource {
  readonly collector: Collector = new Collector(bounds);

  async take(): Promise<Stats> {
    const routes = routesOf(this.collector.series());
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
      Active: this.collector.active,
      Errors: routes.reduce((sum, route) => sum + route.Errors, 0),
      Routes: routes.slice(0, mostRoutes),
      Others: this.collector.measured(),
    };
  }
}

async function loopDelay(): Promise<number> {
  const begin = performance.now();
  await new Promise((resolve) => setTimeout(resolve, probe));
  return Math.max(performance.now() - begin - probe, 0);
}

/** Puts the statuses of a route together, the busiest route first. */
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
    Errors: sumOf(group, (series) => series.status >= 500 ? series.count : 0),
    Mean: count === 0 ? 0 : 1000 * sumOf(group, (series) => series.sum) / count,
    P50: quantile(buckets, count, 0.5),
    P95: quantile(buckets, count, 0.95),
    P99: quantile(buckets, count, 0.99),
  };
}

/** What a share of the requests stay below, in milliseconds: the upper bound of the bucket that it falls into. */
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
