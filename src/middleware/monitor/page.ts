/**
 * The monitor page. Its script polls the statistics and draws them.
 *
 * @module
 */

import { escapeHTML } from "../../base/text/escape_html.ts";
import { documentOf, type Media } from "../../http/page/document.ts";
import { script, style } from "./media.ts";

/** The style sheet and the script. */
export const media: Media = { style, script };

/** Renders the page, given the refresh interval in milliseconds. */
export function pageOf(title: string, interval: number): string {
  const heads = ["Route", "Requests", "4xx", "5xx", "Mean", "p50", "p95", "p99"];
  const head = heads.map((each) => `<th scope="col">${each}</th>`).join("");
  return documentOf(
    title,
    `<header><h1>${escapeHTML(title)}</h1><p id="state" class="wait" role="status">Loading</p></header>
<main>
<section id="tiles" aria-label="Current values" data-interval="${Number(interval)}"></section>
<section aria-label="Routes">
<h2>Routes</h2>
<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody id="routes"></tbody></table></div>
<div class="scroll" tabindex="0"><table><tbody id="others"></tbody></table></div>
</section>
</main>
<footer id="process"></footer>`,
    media,
  );
}
