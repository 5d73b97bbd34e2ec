/**
 * The parts of the pages that fw serves, such as folder listings and the page of jobs. They have one style sheet.
 *
 * @module
 */

import { escapeHTML } from "../../base/text/escape_html.ts";
import { style as common } from "./media.ts";

/** A style sheet or script, and its hash for the Content-Security-Policy. */
export interface Medium {
  readonly text: string;
  readonly hash: string;
}

/** The additions of a page to the common style sheet. */
export interface Media {
  readonly style?: Medium;
  readonly script?: Medium;
}

/** Renders a page around its body, which is HTML. */
export function documentOf(title: string, body: string, { style, script }: Media = {}): string {
  const styles = [common, style].filter((each) => each !== undefined).map(({ text }) => `<style>${text}</style>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHTML(title)}</title>
${styles.join("")}
</head>
<body>
${body}
${script === undefined ? "" : `<script>${script.text}</script>\n`}</body>
</html>
`;
}

/**
 * Returns the Content-Security-Policy of a page. It only allows the page's own style and script.
 *
 * @param media The additions of the page.
 * @param more Further directives.
 */
export function policyOf({ style, script }: Media = {}, more = "form-action 'self'; frame-ancestors 'none'"): string {
  const styles = `style-src '${common.hash}'${style === undefined ? "" : ` '${style.hash}'`}`;
  const scripts = script === undefined ? "" : `; script-src '${script.hash}'`;
  return `default-src 'none'; ${styles}${scripts}; img-src data:; base-uri 'none'; ${more}`;
}

/** The policy of a document that others have written, such as a mail. It loads nothing and runs no scripts. */
export const sandbox = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

/** Renders a table of HTML cells. */
export function tableOf(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const head = heads.map((html) => html === "" ? "<td></td>" : `<th scope="col">${html}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((html) => `<td>${html}</td>`).join("")}</tr>`).join("\n");
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`;
}

/** Renders names and HTML values. */
export function factsOf(facts: readonly (readonly [name: string, html: string])[]): string {
  const rows = facts.map(([name, html]) => `<tr><th scope="row">${escapeHTML(name)}</th><td>${html}</td></tr>`);
  return `<table class="facts">${rows.join("")}</table>`;
}

/**
 * Renders a form with one button.
 *
 * @param label The text of the button.
 * @param values The hidden fields.
 * @param more Other fields, as HTML.
 */
export function buttonOf(label: string, values: Readonly<Record<string, string>>, more = ""): string {
  const hidden = Object.entries(values).map(([name, value]) =>
    `<input type="hidden" name="${escapeHTML(name)}" value="${escapeHTML(String(value))}">`
  );
  return `<form method="post" class="act">${hidden.join("")}${more}<button>${escapeHTML(label)}</button></form>`;
}
