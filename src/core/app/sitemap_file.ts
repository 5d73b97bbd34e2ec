/**
 * The files of a sitemap (sitemaps.org).
 *
 * @module
 */

import { escapeHTML } from "../../base/text/escape_html.ts";
import { pathIn } from "../exchange/public_url.ts";
import type { AppRuntime } from "../exchange/app_runtime.ts";
import type { SitemapEntry } from "./record/route_description.ts";

/** A page of the site. */
export interface Page {
  /** The URL-encoded path of the application. */
  readonly path: string;
  readonly entry: Readonly<SitemapEntry>;
}

/** The site that a sitemap describes. */
export interface Site {
  readonly url: URL;
  /** The public path of the application, without a final slash. */
  readonly root: string;
  readonly languages: AppRuntime["languages"];
}

const head = '<?xml version="1.0" encoding="utf-8" standalone="yes"?>';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** Returns a file that lists pages. */
export function sitemapFile(site: Site, pages: readonly Page[]): string {
  const hasLinks = translationsOf(site, "/").length > 0;
  const urls = pages.map(({ path, entry: { LastMod, ChangeFreq, Priority } }) =>
    "<url>" + tag("loc", urlOf(site, path)) +
    (LastMod === undefined ? "" : tag("lastmod", LastMod.toISOString().replace(".000Z", "Z"))) +
    (ChangeFreq === undefined ? "" : tag("changefreq", ChangeFreq)) +
    (Priority === undefined ? "" : tag("priority", String(Priority))) + translationsOf(site, path).join("") + "</url>"
  );
  const links = hasLinks ? ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' : "";
  return `${head}<urlset ${namespace}${links}>${urls.join("")}</urlset>`;
}

/** Returns the file that lists the other files. */
export function indexFile(site: Site, count: number): string {
  const files = Array.from({ length: count }, (_, at) => tag("loc", urlOf(site, `/sitemap${at + 1}.xml`)));
  return `${head}<sitemapindex ${namespace}>${
    files.map((file) => `<sitemap>${file}</sitemap>`).join("")
  }</sitemapindex>`;
}

function urlOf({ url, root }: Site, path: string, language = ""): string {
  return url.origin + pathIn(root, language, path);
}

/** Returns links to the translations of a page. The page without a language in its URL has the default language. */
function translationsOf(site: Site, path: string): string[] {
  const { catalog, settings } = site.languages ?? {};
  const tags = catalog?.tags ?? [];
  if (tags.length < 2 || settings === undefined) return [];
  const { PathRedirect, Subdomain, URLParameter } = settings;
  if (!PathRedirect && !Subdomain && URLParameter === "") return [];
  return tags.map((language, at) => {
    const own = urlOf(site, path);
    const href = at === 0
      ? own
      : PathRedirect
      ? urlOf(site, path, language)
      : Subdomain
      ? own.replace("://", `://${language.split("-", 1)[0]?.toLowerCase()}.`)
      : `${own}?${encodeURIComponent(URLParameter)}=${language}`;
    return `<xhtml:link rel="alternate" hreflang="${escapeHTML(language)}" href="${escapeHTML(href)}"/>`;
  });
}

function tag(name: string, text: string): string {
  return `<${name}>${escapeHTML(text)}</${name}>`;
}
