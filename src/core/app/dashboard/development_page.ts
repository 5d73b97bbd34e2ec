/**
 * The pages that developers see instead of a plain status. They show the thrown error and its source, or similar
 * routes.
 *
 * The pages are only loaded and shown with `fw.WithDevelopment`, because they reveal internals.
 *
 * @module
 */

import { statusText } from "../../../base/errors/errors.ts";
import { escapeHTML } from "../../../base/text/escape_html.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import { placeInTemplate } from "../../../pages/view/template_error.ts";
import { documentOf, factsOf } from "../../../http/page/document.ts";
import type { FailedExchange } from "../../exchange/app_runtime.ts";
import type { RouteInfo } from "../../exchange/compiled_route.ts";
import { nearRoutes } from "../inspect/near_routes.ts";
import { short, shownHeaders, withoutCredentials } from "./history.ts";
import { type Excerpt, excerptOf } from "./stack_excerpt.ts";

const MOST_CHARACTERS = 10_000;

/**
 * Renders the page for a failure.
 *
 * @param failed The failed request.
 * @param routes All routes of the application.
 * @param about Renders the parts about the current request, given the file and line of the error.
 */
export function developmentPage(
  failed: FailedExchange,
  routes: readonly RouteInfo[],
  about: (place: string) => string,
): string {
  const { draft: { status }, error, request, route } = failed;
  const title = statusText(status);
  const { headers } = request;
  const url = short(withoutCredentials(request.url));
  const path = rawPath(failed.place);
  const excerpt = error === undefined ? undefined : excerptOf(error);
  const at = excerpt === undefined ? "" : place(excerpt);
  const handlers = route.chain.map(({ name }) => name || "(anonymous)").join(" → ") || "none";
  const parts = [
    `<p class="bad">${status} ${escapeHTML(title)}</p>`,
    error === undefined ? `<h1>${escapeHTML(`${request.method} ${path}`)}</h1>` : heading(error),
    excerpt === undefined ? "" : `<h2>${escapeHTML(at)}</h2>${source(excerpt)}`,
    about(at),
    error?.stack?.includes("\n    at ") !== true ? "" : section("Stack", `<pre>${limited(error.stack)}</pre>`),
    causes(error),
    status === 404 && error === undefined ? section("Similar routes", near(path, routes)) : "",
    section("Route", rows([["Route", route.info?.Name ?? "none"], ["Handlers", handlers]])),
    section("Request", rows([["URL", url], ["Method", request.method], ...Object.entries(shownHeaders(headers))])),
  ];
  const footer =
    "Shown in place of the application's own error page because it runs with <code>fw.WithDevelopment</code>. " +
    "Clients of a real server see none of this.";
  return documentOf(`${status} ${title}`, `<main>${parts.join("\n")}</main><footer>${footer}</footer>`);
}

function section(title: string, body: string): string {
  return `<h2>${escapeHTML(title)}</h2>${body}`;
}

/**
 * Returns the first line of a message as a heading and the rest as preformatted text, because template excerpts are
 * aligned in columns.
 */
function heading(error: Error): string {
  const [first = "", ...others] = error.message.split("\n");
  const shown = placeInTemplate(error) === undefined
    ? others
    : others.filter((line) => line.startsWith("included by "));
  const text = shown.join("\n").trim();
  return `<h1>${limited(`${error.name}: ${first}`)}</h1>${text === "" ? "" : `<pre>${limited(text)}</pre>`}`;
}

/** Escapes a message, which may contain a whole document, without secrets, and limits its length. */
function limited(text: string): string {
  return escapeHTML(short(text, MOST_CHARACTERS));
}

function place({ file, line, column }: Excerpt): string {
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

function source(excerpt: Excerpt): string {
  if (excerpt.lines.length === 0) return "<p>The source is not available.</p>";
  const width = String(excerpt.line + 9).length;
  const lines = excerpt.lines.map(([number, text]) => {
    const line = `${String(number).padStart(width)}  ${limited(text)}`;
    return number === excerpt.line ? `<mark>${line}</mark>` : line;
  });
  return `<pre>${lines.join("\n")}</pre>`;
}

function causes(error: Error | undefined): string {
  const found: string[] = [];
  for (let cause = error?.cause, depth = 0; cause !== undefined && depth < 8; depth++) {
    found.push(
      section(
        "Caused by",
        `<pre>${limited(cause instanceof Error ? cause.stack ?? "" : Deno.inspect(cause))}</pre>`,
      ),
    );
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return found.join("");
}

/** Returns the routes most similar to the requested path, with their methods. */
function near(path: string, routes: readonly RouteInfo[]): string {
  if (routes.length === 0) return "<p>There are no routes yet.</p>";
  const found = nearRoutes(path, routes.map((route) => route.Path));
  if (found.length === 0) return `<p>None of the ${routes.length} routes is similar to this path.</p>`;
  return rows(found.map((each) => [
    routes.filter((route) => route.Path === each).map((route) => route.Method).join(" "),
    each,
  ]));
}

/** Renders names and values. */
function rows(pairs: readonly (readonly [string, string])[]): string {
  return factsOf(pairs.map(([name, value]) => [name, `<code>${escapeHTML(value)}</code>`]));
}
