/**
 * Renders the parts of a mail from views.
 *
 * @module
 */

import { isPlainObject } from "../../base/data/plain_object.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { decodeEntities } from "../../base/text/html_entities.ts";
import type { PathValue } from "../../base/text/path_value.ts";
import { type Engine, type Links, NoLayout, ViewNotFound } from "../../pages/engine/engine.ts";
import type { Parts } from "./message.ts";

/** Returns the text of a page's title, or an empty string. */
export function titleOf(html: string): string {
  const [, title = ""] = /<title\b[^<>]*>([^<]*)<\/title>/i.exec(html) ?? [];
  return decodeEntities(title).replace(/\s+/g, " ").trim();
}

/** The text of tags, by name. Closing tags start with a slash. All others have none. */
const breaks: ReadonlyMap<string, string> = new Map([
  ...["p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "section", "blockquote", "hr"].flatMap((name) =>
    [[name, "\n\n"], [`/${name}`, "\n\n"]] as const
  ),
  ...["ul", "ol", "tr"].flatMap((name) => [[name, "\n"], [`/${name}`, "\n"]] as const),
  ...[["br", "\n"], ["li", "\n- "], ["/td", " "], ["/th", " "]] as const,
]);
/** The elements whose content is not shown. */
const hidden: ReadonlySet<string> = new Set(["head", "style", "script", "title"]);

/**
 * Converts HTML to plain text. Links are followed by their address. Each character is read once, because a mail may
 * contain long text of users.
 *
 * @param html The HTML part of a mail.
 */
export function textOf(html: string): string {
  const lower = html.toLowerCase();
  let text = "";
  let link = "";
  let label = 0;
  for (let at = 0; at < html.length;) {
    const start = html.indexOf("<", at);
    const isComment = html.startsWith("<!--", start);
    const end = start < 0 ? -1 : html.indexOf(isComment ? "-->" : ">", start);
    text += html.slice(at, end < 0 ? html.length : start).replace(/\s+/g, " ");
    if (end < 0) break;
    at = end + (isComment ? 3 : 1);
    const tag = html.slice(start + 1, end);
    const [name = ""] = /^\/?[a-z][a-z\d]*/.exec(tag.toLowerCase()) ?? [];
    if (hidden.has(name)) {
      const close = lower.indexOf(`</${name}`, at);
      at = close < 0 ? html.length : close;
    } else if (name === "a") {
      [, link = ""] = /\shref="([^"]*)"/i.exec(tag) ?? [];
      label = text.length;
    } else if (name === "/a" && link !== "") {
      if (text.slice(label).trim() !== link) text += ` (${link})`;
      link = "";
    }
    text += breaks.get(name) ?? "";
  }
  const lines = decodeEntities(text).split("\n").map((line) => line.replace(/ {2,}/g, " ").trim());
  return `${lines.filter((line, at) => line !== "" || lines[at - 1] !== "").join("\n").trim()}\n`;
}

/** The content of a mail: a view, or its parts. */
export interface Content {
  /** The subject. If omitted, the title of the HTML part. */
  readonly Subject?: string;
  /** The name of the view. */
  readonly View?: string;
  /** The data for the view. */
  readonly Data?: unknown;
  /** The recipient's language, such as `de`. `tr` in the view translates into it. */
  readonly Language?: string;
  /** The layout for the HTML part. */
  readonly Layout?: string;
  /** The text part. If omitted, it is rendered from the view, or converted from the HTML part. */
  readonly Text?: string;
  /** The HTML part. If omitted, it is rendered from the view. */
  readonly HTML?: string;
}

/** The part of an application that views use. */
export interface ViewSource {
  /** Builds the path of a route, for `url` and `urlpath` in views. */
  Reverse(name: string, ...values: PathValue[]): string;
  /** The translations, for `tr` in views. */
  readonly I18n: {
    Loaded(): boolean;
    Tr(language: string, key: string, ...args: unknown[]): string;
    Tags?(): readonly string[];
  };
}

/** The parts of a mailer that render views. */
export interface Renderer {
  readonly views: Engine | undefined;
  readonly textViews: Engine | undefined;
  readonly app: ViewSource | undefined;
  /** The URL of the application, without a final slash. */
  readonly url: string;
}

/** Renders the parts of a mail. */
export async function renderParts(renderer: Renderer, content: Content): Promise<Parts> {
  const { View, Data, Language = "", Layout } = content;
  const data = isPlainObject(Data) || Data === undefined ? { Language, ...Data } : Data;
  const options = { Layout, Links: linksOf(renderer, Language) };
  const html = content.HTML ??
    (View === undefined ? "" : await required(renderer.views, View).Render(View, data, options));
  const text = content.Text ??
    (View === undefined ? undefined : await textView(renderer.textViews, View, data, options.Links));
  return { Subject: content.Subject ?? titleOf(html), Text: text ?? textOf(html), HTML: html };
}

/** Renders the text view, if there is one. Its tags escape values for HTML, which is reverted. */
async function textView(
  engine: Engine | undefined,
  name: string,
  data: unknown,
  Links: Links,
): Promise<string | undefined> {
  try {
    const text = await engine?.Render(name, data, { Layout: NoLayout, Links });
    return text === undefined ? undefined : decodeEntities(text);
  } catch (error) {
    if (error instanceof ViewNotFound) return undefined;
    throw error;
  }
}

function required(engine: Engine | undefined, name: string): Engine {
  if (engine !== undefined) return engine;
  throw new FrameworkError("FW_MAIL", `Cannot render the mail "${name}": the option "Views" of the mailer is not set`);
}

function linksOf({ app, url }: Renderer, language: string): Links {
  const needed = (): ViewSource => {
    if (app !== undefined) return app;
    throw new FrameworkError("FW_MAIL", `Cannot render a mail: the option "App" of the mailer is not set`);
  };
  return {
    URLPath: (name, ...values) => needed().Reverse(name, ...values),
    URL(name, ...values) {
      if (url === "") {
        throw new FrameworkError("FW_MAIL", `Cannot build a URL: the option "URL" of the mailer is not set`);
      }
      return url + needed().Reverse(name, ...values);
    },
    Tr: (key, ...args) => needed().I18n.Tr(language, key, ...args),
  };
}
