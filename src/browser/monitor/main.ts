/**
 * The script of the monitor page. It polls the statistics and draws them.
 *
 * @module
 */

/** The values that the tiles show, from which rates are computed. */
interface Totals {
  readonly Time: number;
  readonly Requests: number;
  readonly Duration: number;
  readonly Errors: number;
  readonly CPU: number;
}

/** The statistics, as in `src/middleware/monitor/stats.ts`. */
interface Stats extends Totals {
  readonly Uptime: number;
  readonly Version: string;
  readonly PID: number;
  readonly Memory: { readonly rss: number; readonly heapUsed: number };
  readonly LoopDelay: number;
  readonly Active: number;
  readonly Routes: readonly RouteStats[];
  readonly Others: readonly OtherStats[];
}

interface RouteStats {
  readonly Route: string;
  readonly Requests: number;
  readonly Refused: number;
  readonly Errors: number;
  readonly Mean: number;
  readonly P50: number;
  readonly P95: number;
  readonly P99: number;
}

interface OtherStats {
  readonly Help: string;
  readonly Value: number;
  readonly Labels?: Readonly<Record<string, string>>;
}

/** A tile: its title, its value and the text of the value. */
type Tile = readonly [title: string, read: (now: Stats, last: Totals) => number, show: (value: number) => string];

/** The number of values that a tile shows. */
const kept = 90;
const history: Record<string, number[]> = {};
const tiles: readonly Tile[] = [
  ["Requests per second", (now, last) => rate(now, last, "Requests"), (v) => v.toFixed(v < 10 ? 1 : 0)],
  [
    "Mean duration",
    (now, last) => (now.Duration - last.Duration) / Math.max(now.Requests - last.Requests, 1),
    duration,
  ],
  ["In flight", (now) => now.Active, (v) => String(v)],
  ["Errors per minute", (now, last) => 60 * rate(now, last, "Errors"), (v) => v.toFixed(v < 10 ? 1 : 0)],
  ["CPU", (now, last) => 100 * (now.CPU - last.CPU) / (now.Time - last.Time), (v) => v.toFixed(0) + " %"],
  ["Memory", (now) => now.Memory.rss, bytes],
  ["Heap", (now) => now.Memory.heapUsed, bytes],
  ["Event loop delay", (now) => now.LoopDelay, duration],
];
// The first values are averages since the start of the process.
let last: Totals | undefined;

function rate(now: Totals, last: Totals, name: "Requests" | "Errors"): number {
  return Math.max(0, 1000 * (now[name] - last[name]) / (now.Time - last.Time));
}

function bytes(v: number): string {
  return v < 1048576 ? (v / 1024).toFixed(0) + " KiB" : (v / 1048576).toFixed(v < 104857600 ? 1 : 0) + " MiB";
}

function duration(ms: number): string {
  return ms < 1
    ? (1000 * ms).toFixed(0) + " µs"
    : ms < 1000
    ? ms.toFixed(ms < 10 ? 1 : 0) + " ms"
    : (ms / 1000).toFixed(1) + " s";
}

function span(seconds: number): string {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]] as const;
  const found: string[] = [];
  for (const [size, unit] of parts) {
    const n = Math.floor(seconds / size);
    seconds -= n * size;
    if (n || unit === "s") found.push(n + " " + unit);
  }
  return found.slice(0, 2).join(" ");
}

function element(name: string, text?: string, className?: string): HTMLElement {
  const it = document.createElement(name);
  if (text !== undefined) it.textContent = text;
  if (className) it.className = className;
  return it;
}

function svg(name: string, attributes: Readonly<Record<string, string>>): Element {
  const it = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
  return it;
}

function tileOf([title, read, show]: Tile, now: Stats, last: Totals): HTMLElement {
  const values = (history[title] ??= []);
  values.push(read(now, last));
  if (values.length > kept) values.shift();
  const top = Math.max(...values, 1e-9);
  const points = values.map((v, i) =>
    (100 * (kept - values.length + i) / (kept - 1)).toFixed(2) + "," + (29 - 27 * v / top).toFixed(2)
  );
  const tile = element("div", undefined, "tile");
  const drawing = svg("svg", { viewBox: "0 0 100 30", preserveAspectRatio: "none", "aria-hidden": "true" });
  drawing.append(svg("polyline", { points: points.join(" ") }));
  tile.append(element("h2", title), element("p", show(values.at(-1) ?? 0)), drawing);
  return tile;
}

function rowOf(route: RouteStats): HTMLElement {
  const row = document.createElement("tr");
  row.append(
    element("td", route.Route),
    element("td", route.Requests.toLocaleString("en")),
    element("td", route.Refused.toLocaleString("en")),
    element("td", route.Errors.toLocaleString("en"), route.Errors ? "bad" : ""),
  );
  for (const name of ["Mean", "P50", "P95", "P99"] as const) row.append(element("td", duration(route[name])));
  return row;
}

function otherOf(other: OtherStats): HTMLElement {
  const row = document.createElement("tr");
  const labels = other.Labels ? " (" + Object.values(other.Labels).join(", ") + ")" : "";
  row.append(element("td", other.Help.replace(/\.$/, "") + labels), element("td", other.Value.toLocaleString("en")));
  return row;
}

function existing(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement;
}

function say(text: string, className: string): void {
  const state = existing("state");
  state.textContent = text;
  state.className = className;
}

async function look(): Promise<void> {
  try {
    const response = await fetch(location.pathname.replace(/\/$/, "") + "/stats", { cache: "no-store" });
    if (!response.ok) throw new Error("Status " + response.status);
    const now: Stats = await response.json();
    const before = last ?? { Time: now.Time - now.Uptime, Requests: 0, Duration: 0, Errors: 0, CPU: 0 };
    existing("tiles").replaceChildren(...tiles.map((tile) => tileOf(tile, now, before)));
    existing("routes").replaceChildren(...now.Routes.map(rowOf));
    existing("others").replaceChildren(...now.Others.map(otherOf));
    existing("process").textContent = "Process " + now.PID + ", Deno " + now.Version + ", " +
      now.Requests.toLocaleString("en") + " requests since start";
    say("Up for " + span(now.Uptime / 1000), "live");
    last = now;
  } catch (error) {
    say("Cannot load statistics: " + (error instanceof Error ? error.message : error), "lost");
  }
  setTimeout(look, Number(existing("tiles").dataset.interval));
}
void look();
