/**
 * The monitor page. Its script polls the statistics and draws them.
 *
 * @module
 */

import { escapeHTML } from "../../base/text/escape_html.ts";
import { script, style } from "./media.ts";

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
<section id="tiles" aria-label="Current values" data-interval="${Number(interval)}"></section>
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
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}
