/**
 * Renders the parts of a mail from views.
 *
 * @module
 */

import { isPlainObject } from "../data/plain_object.ts";
import { FrameworkError } from "../errors/errors.ts";
import type { PathValue } from "../text/path_value.ts";
import { type Engine, type Links, NoLayout } from "../engine/engine.ts";
import { ViewNotFound } from "../engine/view_not_found.ts";
import type { Parts } from "./message.ts";
import { decodeEntities, textOf, titleOf } from "./plain_text.ts";

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
  readonly I18n: { Loaded(): boolean; Tr(language: string, key: string, ...args: unknown[]): string };
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
