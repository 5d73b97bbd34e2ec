/**
 * The monitor page. It polls the statistics and draws them.
 *
 * @module
 */

/** Options for the page. */
export interface PageOptions {
  readonly title: string;
  /** The refresh interval, in milliseconds. */
  readonly interval: number;
  /** The nonce that allows only the page's own script and style. */
  readonly nonce: string;
}

/** Renders the page. */
export function pageOf({ title, interval, nonce }: PageOptions): string {
  const name = escapeHTML(title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header><h1>${name}</h1><p id="state" class="wait" role="status">Loading</p></header>
<main>
<section id="tiles" aria-label="Current values"></section>
<section aria-label="Routes">
<h2>Routes</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">Route</th><th scope="col">Requests</th><th scope="col">4xx</th><th scope="col">5xx</th>
<th scope="col">Mean</th><th scope="col">p50</th><th scope="col">p95</th><th scope="col">p99</th></tr></thead>
<tbody id="routes"></tbody>
</table></div>
<div class="scroll"><table><tbody id="others"></tbody></table></div>
</section>
</main>
<footer id="process"></footer>
<script nonce="${nonce}">const interval = ${Number(interval)};${script}</script>
</body>
</html>
`;
}

const entities: { readonly [char: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeHTML(text: string): string {
  return text.replace(/[&<>"]/g, (char) => entities[char] ?? char);
}

const style = `
:root{color-scheme:light dark;--line:light-dark(#d8dce3,#333a45);--soft:light-dark(#5b6472,#9aa4b2);
--card:light-dark(#fff,#1b2028);--ink:light-dark(#1a1f27,#e8ebf0);--accent:light-dark(#2563eb,#7aa7ff);
--good:light-dark(#15803d,#4ade80);--bad:light-dark(#b91c1c,#f87171)}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem clamp(1rem,4vw,3rem);font:15px/1.5 system-ui,sans-serif;color:var(--ink);overflow-wrap:anywhere;
background:light-dark(#f4f6f9,#12161c)}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;margin-bottom:1.25rem}
h1{font-size:1.4rem;margin:0}h2{font-size:1rem;margin:1.75rem 0 .5rem}
#state{margin:0;color:var(--soft)}#state::before{content:"";display:inline-block;width:.6em;height:.6em;
border-radius:50%;margin-right:.45em;background:var(--soft)}
#state.live::before{background:var(--good)}#state.lost{color:var(--bad)}#state.lost::before{background:var(--bad)}
#tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(11.5rem,1fr));gap:.75rem}
.tile{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .9rem .4rem;min-width:0}
.tile h3{margin:0;font-size:.8rem;font-weight:500;color:var(--soft)}
.tile p{margin:.1rem 0 .2rem;font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums;white-space:nowrap}
.tile svg{display:block;width:100%;height:2.4rem}
.tile polyline{fill:none;stroke:var(--accent);stroke-width:1.5;vector-effect:non-scaling-stroke}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.6rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.45rem .8rem;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
th{font-size:.8rem;font-weight:500;color:var(--soft)}tbody tr{border-top:1px solid var(--line)}
td:first-child{font-family:ui-monospace,monospace;font-size:.9em;white-space:normal;min-width:12rem}
td.bad{color:var(--bad);font-weight:600}
footer{margin-top:1.25rem;color:var(--soft);font-size:.85rem}`;

const script = `
const kept = 90, history = {};
const tiles = [
  ["Requests per second", (now, last) => rate(now, last, "Requests"), (v) => v.toFixed(v < 10 ? 1 : 0)],
  ["Mean duration", (now, last) => (now.Duration - last.Duration) / Math.max(now.Requests - last.Requests, 1), duration],
  ["In flight", (now) => now.Active, (v) => String(v)],
  ["Errors per minute", (now, last) => 60 * rate(now, last, "Errors"), (v) => v.toFixed(v < 10 ? 1 : 0)],
  ["CPU", (now, last) => 100 * (now.CPU - last.CPU) / (now.Time - last.Time), (v) => v.toFixed(0) + " %"],
  ["Memory", (now) => now.Memory.rss, bytes],
  ["Heap", (now) => now.Memory.heapUsed, bytes],
  ["Event loop delay", (now) => now.LoopDelay, duration],
];
// The first values are averages since the start of the process.
let last;
function rate(now, last, name) { return Math.max(0, 1000 * (now[name] - last[name]) / (now.Time - last.Time)); }
function bytes(v) { return v < 1048576 ? (v / 1024).toFixed(0) + " KiB" : (v / 1048576).toFixed(v < 104857600 ? 1 : 0) + " MiB"; }
function duration(ms) { return ms < 1 ? (1000 * ms).toFixed(0) + " µs" : ms < 1000 ? ms.toFixed(ms < 10 ? 1 : 0) + " ms" : (ms / 1000).toFixed(1) + " s"; }
function span(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]], found = [];
  for (const [size, unit] of parts) { const n = Math.floor(seconds / size); seconds -= n * size; if (n || unit === "s") found.push(n + " " + unit); }
  return found.slice(0, 2).join(" ");
}
function element(name, text, className) {
  const it = document.createElement(name);
  if (text !== undefined) it.textContent = text;
  if (className) it.className = className;
  return it;
}
function svg(name, attributes) {
  const it = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) it.setAttribute(key, attributes[key]);
  return it;
}
function tileOf([title, read, show], now) {
  const values = (history[title] ??= []);
  values.push(read(now, last));
  if (values.length > kept) values.shift();
  const top = Math.max(...values, 1e-9);
  const points = values.map((v, i) => (100 * (kept - values.length + i) / (kept - 1)).toFixed(2) + "," + (29 - 27 * v / top).toFixed(2));
  const tile = element("div", undefined, "tile");
  const drawing = svg("svg", { viewBox: "0 0 100 30", preserveAspectRatio: "none", "aria-hidden": "true" });
  drawing.append(svg("polyline", { points: points.join(" ") }));
  tile.append(element("h3", title), element("p", show(values.at(-1))), drawing);
  return tile;
}
function rowOf(route) {
  const row = document.createElement("tr");
  row.append(element("td", route.Route), element("td", route.Requests.toLocaleString("en")),
    element("td", route.Refused.toLocaleString("en")), element("td", route.Errors.toLocaleString("en"), route.Errors ? "bad" : ""));
  for (const name of ["Mean", "P50", "P95", "P99"]) row.append(element("td", duration(route[name])));
  return row;
}
function otherOf(other) {
  const row = document.createElement("tr");
  const labels = other.Labels ? " (" + Object.values(other.Labels).join(", ") + ")" : "";
  row.append(element("td", other.Help.replace(/\\.$/, "") + labels), element("td", other.Value.toLocaleString("en")));
  return row;
}
function say(text, className) { const state = document.getElementById("state"); state.textContent = text; state.className = className; }
async function look() {
  try {
    const response = await fetch(location.pathname.replace(/\\/$/, "") + "/stats", { cache: "no-store" });
    if (!response.ok) throw new Error("status " + response.status);
    const now = await response.json();
    last ??= { Time: now.Time - now.Uptime, Requests: 0, Duration: 0, Errors: 0, CPU: 0 };
    document.getElementById("tiles").replaceChildren(...tiles.map((tile) => tileOf(tile, now)));
    document.getElementById("routes").replaceChildren(...now.Routes.map(rowOf));
    document.getElementById("others").replaceChildren(...now.Others.map(otherOf));
    document.getElementById("process").textContent = "Process " + now.PID + ", Deno " + now.Version + ", " + now.Requests.toLocaleString("en") + " requests since start";
    say("Up for " + span(now.Uptime / 1000), "live");
    last = now;
  } catch (error) {
    say("Cannot load statistics: " + error.message, "lost");
  }
  setTimeout(look, interval);
}
look();`;
