/**
 * A page that lists, explains and tries the routes of an OpenAPI document. It loads nothing from other hosts.
 *
 * @module
 */

import type { Handler } from "../context/handler.ts";
import { pageMarkup } from "./page/markup.ts";
import { pageScript } from "./page/script.ts";
import { pageStyle } from "./page/style.ts";

/** How the page is served. */
export interface UIOptions {
  /** Where the document lies, as a URL or relative to the page: `openapi.json` unless given. */
  Document?: string;
  /** The title of the page, until the document has told its own. */
  Title?: string;
}

/**
 * Creates a handler that serves the page.
 *
 * @param options Where the document lies.
 * @returns The handler.
 *
 * @example The page at a path of its own
 * ```ts
 * import * as fw from "@fw/web";
 * import * as openapi from "@fw/web/openapi";
 *
 * const app = fw.New();
 * app.Get("/docs", openapi.UI({ Document: "/openapi.json", Title: "Teas" }));
 *
 * const page = await app.fetch(new Request("http://localhost/docs"));
 * (await page.text()).includes("<title>Teas</title>"); // → true
 * ```
 */
export function UI(options: UIOptions = {}): Handler {
  const html = pageMarkup({
    title: options.Title ?? "API",
    document: options.Document ?? "openapi.json",
    style: pageStyle,
    script: pageScript,
  });
  let policy: Promise<string> | undefined;
  return async (ctx) => {
    policy ??= contentPolicy();
    ctx.Header("content-security-policy", await policy);
    ctx.Header("x-content-type-options", "nosniff");
    ctx.HTML(html);
  };
}

/** Allows this very style and script and nothing else, so that not even a description can bring one along. */
async function contentPolicy(): Promise<string> {
  const [style, script] = await Promise.all([hashOf(pageStyle), hashOf(pageScript)]);
  return `default-src 'none'; style-src ${style}; script-src ${script}; connect-src *; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
}

async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `'sha256-${btoa(String.fromCharCode(...digest))}'`;
}
