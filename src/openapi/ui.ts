/**
 * Serves an interactive page for an OpenAPI document. The page loads nothing from other hosts.
 *
 * @module
 */

import { text } from "../config/option_kinds.ts";
import { optionTable, readOptions } from "../config/option_table.ts";
import { exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { linkTo } from "../exchange/public_url.ts";
import { pageMarkup } from "./page/markup.ts";
import { script, style } from "./page/media.ts";

/** Options for {@linkcode UI}. */
export interface UIOptions {
  /**
   * The URL of the document. It may be relative to the page. A path is a path of the application.
   *
   * @default {"openapi.json"}
   */
  Document?: string;
  /** The URL of the document as YAML, which the page links to. If omitted, there is no such link. */
  YAML?: string;
  /**
   * The page title to show until the document has loaded.
   *
   * @default {"API"}
   */
  Title?: string;
}

const table = optionTable<UIOptions>("openapi.UIOptions", "openapi.UI")({
  Document: text("openapi.json"),
  YAML: text(),
  Title: text("API"),
});

/**
 * Creates a handler that serves an interactive page for an OpenAPI document.
 *
 * @param options The URL of the document and the page title.
 * @returns The handler.
 *
 * @example Serve the page at a custom path
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
  const { Title, Document, YAML } = readOptions(table, options);
  let policy: Promise<string> | undefined;
  return async (ctx) => {
    const { target } = exchangeOf(ctx);
    const html = pageMarkup({
      title: Title,
      document: linkTo(target, Document),
      yaml: YAML === undefined ? undefined : linkTo(target, YAML),
      style,
      script,
    });
    policy ??= contentPolicy();
    ctx.Header("content-security-policy", await policy);
    ctx.Header("x-content-type-options", "nosniff");
    ctx.HTML(html);
  };
}

/**
 * Returns the Content-Security-Policy. It only allows the page's own style and script, so that a description cannot
 * inject others.
 */
async function contentPolicy(): Promise<string> {
  const [styleHash, scriptHash] = await Promise.all([hashOf(style), hashOf(script)]);
  return `default-src 'none'; style-src ${styleHash}; script-src ${scriptHash}; connect-src *; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
}

async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `'sha256-${btoa(String.fromCharCode(...digest))}'`;
}
