/**
 * The HTML skeleton of the page. All content comes from the OpenAPI document.
 *
 * @module
 */

import { escapeHTML } from "../../../base/text/escape_html.ts";

/** The contents of the page. */
export interface PageParts {
  readonly title: string;
  readonly document: string;
  /** The URL of the YAML document, if there is one. */
  readonly yaml?: string | undefined;
  readonly style: string;
  readonly script: string;
}

/** Returns the HTML of the page. */
export function pageMarkup({ title, document, yaml, style, script }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHTML(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
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
  }">here</a>.</p></noscript>
<script>${script}</script>
</body>
</html>
`;
}
