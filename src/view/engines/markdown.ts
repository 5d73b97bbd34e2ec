/**
 * Views in Markdown, with the tags of the default engine.
 *
 * A page is a Markdown file, its layout a Markdown or HTML file. Values are escaped, and they are never read as
 * Markdown: the text around them is rendered once, when the templates are loaded.
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
import { HTMLEngine, provideTemplates } from "../html.ts";
import { openTemplates } from "../open_templates.ts";

export { HTMLEngine } from "../html.ts";

provideTemplates(openTemplates);

/**
 * Creates an engine for views in Markdown.
 *
 * @param directory A path or a `file:` URL; an empty string if all templates are given to `ParseTemplate`.
 * @param extension The ending of the Markdown files. Files that end in `.html` are templates too, for layouts.
 * @returns The engine, for `RegisterView`.
 */
export function Markdown(directory: string | URL, extension = ".md"): HTMLEngine {
  return new HTMLEngine(directory, extension, { alsoReads: [".html"], translate });
}

/** Tags are replaced by words that Markdown leaves alone, and put back into the HTML. */
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
    // On a line of its own it is a block: inside of a paragraph, a loop would open the paragraph and not close it.
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
