/**
 * A view engine for Markdown files that contain the default engine's tags.
 *
 * A page is a Markdown file, and its layout is a Markdown or HTML file. Values are escaped and never interpreted as
 * Markdown, because the Markdown is rendered only once, when the templates are loaded.
 *
 * @example A page in Markdown
 * ```ts
 * import { Markdown } from "@fw/web/view/markdown";
 *
 * const engine = Markdown("").ParseTemplate("main.html", "<main><%~ body %></main>")
 *   .ParseTemplate("hello.md", "# Hello, <%= it.Name %>").Layout("main.html");
 * engine.Render("hello", { Name: "*Ann* <b>" }); // → "<main><h1>Hello, *Ann* &lt;b&gt;</h1>\n</main>"
 * ```
 *
 * @module
 */

import { toHTML } from "../../formats/markdown.ts";
import { HTMLEngine } from "../../engine/default/html.ts";
import { provideTemplates } from "../../engine/template_parts.ts";
import { openTemplates } from "../open_templates.ts";

provideTemplates(openTemplates);

/**
 * Creates an engine for Markdown views.
 *
 * @param directory A path or a `file:` URL. Use an empty string if all templates are added with `ParseTemplate`.
 * @param extension The extension of the Markdown files. Defaults to `.md`. Files that end in `.html` can be used as
 * layouts.
 * @returns The engine, to be passed to `RegisterView`.
 */
export function Markdown(directory: string | URL, extension = ".md"): HTMLEngine {
  return new HTMLEngine(directory, extension, { alsoReads: [".html"], translate });
}

/** Replaces tags with placeholders that Markdown leaves unchanged, and restores them in the HTML. */
function translate(name: string, source: string, [left, right]: readonly [string, string]): string {
  if (name.endsWith(".html")) return source;
  const tags: string[] = [];
  const word = (at: number) => `fwTag${at}gaTwf`;
  const tag = new RegExp(
    `^([ \\t]*)(${escaped(left)}[^]*?${escaped(right)})([ \\t]*)$|${escaped(left)}[^]*?${escaped(right)}`,
    "gm",
  );
  const text = source.replace(tag, (whole: string, _before?: string, alone?: string) => {
    const at = tags.push(alone ?? whole) - 1;
    // A tag on a line of its own becomes a block. If it were part of a paragraph, a loop would repeat the opening tag
    // of the paragraph without the closing tag.
    return alone === undefined ? word(at) : `<!--${word(at)}-->`;
  });
  return toHTML(text, { Sanitize: false }).replace(
    /<!--fwTag(\d+)gaTwf-->|fwTag(\d+)gaTwf/g,
    (_, alone, inline) => tags[Number(alone ?? inline)] ?? "",
  );
}

function escaped(delimiter: string): string {
  return delimiter.replace(/[^\w\s]/g, "\\$&");
}
