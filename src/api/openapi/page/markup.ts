/**
 * The HTML skeleton of the page. All content comes from the OpenAPI document.
 *
 * @module
 */

import { escapeHTML } from "../../../base/text/escape_html.ts";
import { documentOf, policyOf } from "../../../http/page/document.ts";
import { script, style } from "./media.ts";

/** The contents of the page. */
export interface PageParts {
  readonly title: string;
  readonly document: string;
  /** The URL of the YAML document, if there is one. */
  readonly yaml?: string | undefined;
}

/** The Content-Security-Policy of the page. A description cannot inject a style or script. */
export const pagePolicy: string = policyOf(
  { style, script },
  "connect-src *; form-action 'none'; frame-ancestors 'self'",
);

/** Returns the HTML of the page. */
export function pageMarkup({ title, document, yaml }: PageParts): string {
  return documentOf(
    title,
    `<header>
<div>
<h1>${escapeHTML(title)}</h1>
<div id="about"></div>
</div>
<label class="search">Find a route <input id="find" type="search" placeholder="path, method or word" autocomplete="off"></label>
</header>
<div id="settings"></div>
<main id="routes" data-document="${escapeHTML(document)}"${
      yaml === undefined ? "" : ` data-yaml="${escapeHTML(yaml)}"`
    }><p class="note">Loading the document …</p></main>
<noscript><p class="note">This page needs JavaScript. The document itself is <a href="${
      escapeHTML(document)
    }">here</a>.</p></noscript>`,
    { style, script },
  );
}
