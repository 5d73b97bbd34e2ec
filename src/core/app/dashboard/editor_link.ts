/**
 * Links that open a file in the editor of the developer.
 *
 * @module
 */

import { escapeHTML } from "../../../base/text/escape_html.ts";

/** The addresses with which editors open a file, by a part of the name that the environment has. */
const editors: readonly (readonly [name: RegExp, open: (file: string, line: string) => string])[] = [
  [/cursor/i, (file, line) => `cursor://file${file}:${line}`],
  [/zed/i, (file, line) => `zed://file${file}:${line}`],
  [/idea|storm|jetbrains/i, (file, line) => `idea://open?file=${file}&line=${line}`],
  [/subl/i, (file, line) => `subl://open?url=file://${file}&line=${line}`],
  [/^/, (file, line) => `vscode://file${file}:${line}`],
];

/** Renders a link that opens a file in the editor. */
export function editorLink(place: string, text: string = place.replace(/^file:\/\//, "")): string {
  const [, file = place, line = "1"] = /^(?:file:\/\/)?(.*?):(\d+)(?::\d+)?$/.exec(place) ?? [];
  const names = ["EDITOR", "VISUAL", "TERM_PROGRAM", "TERMINAL_EMULATOR"].map((variable) =>
    Deno.permissions.querySync({ name: "env", variable }).state === "granted" ? Deno.env.get(variable) ?? "" : ""
  );
  const [, open] = editors.find(([name]) => name.test(names.join(" "))) ?? [];
  const path = file.replaceAll("\\", "/").replace(/^(?=[A-Za-z]:)/, "/");
  return `<a href="${escapeHTML(open?.(encodeURI(path), line) ?? "")}">${escapeHTML(text)}</a>`;
}
