/**
 * Links that open a file in the editor of the developer.
 *
 * @module
 */

import { escapeHTML } from "../../../base/text/escape_html.ts";
import { fromFileURL } from "../../../base/text/file_name.ts";

/** The addresses with which editors open a file, by a part of the name that the environment has. */
const editors: readonly (readonly [name: RegExp, open: (file: string, line: string) => string])[] = [
  [/cursor/i, (file, line) => `cursor://file${file}:${line}`],
  [/zed/i, (file, line) => `zed://file${file}:${line}`],
  [/idea|storm|jetbrains/i, (file, line) => `idea://open?file=${file}&line=${line}`],
  [/subl/i, (file, line) => `subl://open?url=file://${file}&line=${line}`],
  [/^/, (file, line) => `vscode://file${file}:${line}`],
];

/** Returns a place with the path of its file, if it has the URL of a file. */
export function pathPlace(place: string): string {
  const [, url, line] = /^(file:\/\/.*?)((?::\d+){1,2})$/.exec(place) ?? [];
  return url === undefined ? place : `${fromFileURL(url)}${line}`;
}

/** Renders a link that opens a file in the editor. A place that is not in a file is only text. */
export function editorLink(place: string, text: string = pathPlace(place)): string {
  const [, file, line = "1"] = /^((?:\/|[A-Za-z]:[\\/]).*?):(\d+)(?::\d+)?$/.exec(pathPlace(place)) ?? [];
  if (file === undefined) return escapeHTML(text);
  const names = ["EDITOR", "VISUAL", "TERM_PROGRAM", "TERMINAL_EMULATOR"].map((variable) =>
    Deno.permissions.querySync({ name: "env", variable }).state === "granted" ? Deno.env.get(variable) ?? "" : ""
  );
  const [, open] = editors.find(([name]) => name.test(names.join(" "))) ?? [];
  const path = encodeURI(file.replaceAll("\\", "/").replace(/^(?=[A-Za-z]:)/, "/"));
  return `<a href="${escapeHTML(open?.(path.replace(/[?#&+]/g, encodeURIComponent), line) ?? "")}">${
    escapeHTML(text)
  }</a>`;
}
