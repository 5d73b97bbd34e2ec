/**
 * The parts of the error page about the current request: its values, its timeline and the explanation of the error.
 *
 * @module
 */

import { escapeHTML } from "../../../base/text/escape_html.ts";
import { factsOf } from "../../../http/page/document.ts";
import type { ErrorText } from "../../context/extension.ts";
import type { FailedExchange } from "../../exchange/app_runtime.ts";
import { editorLink } from "./editor_link.ts";
import { withoutSecrets } from "./history.ts";
import { ROOT } from "./page.ts";
import { recorded } from "./recording.ts";

/** The explanations of fw's error codes. */
export type Explained = Readonly<Record<string, { readonly cause: string; readonly remedy: string } | undefined>>;

/** A failure, and what is known about error codes. */
interface Failure {
  readonly failed: FailedExchange;
  /** The file and line, or an empty string. */
  readonly place: string;
  /** The error codes of extensions. */
  readonly codes: Readonly<Record<string, ErrorText>>;
  readonly pages: Explained;
  readonly basePath: string;
}

/** Renders the parts. */
export function aboutFailure({ failed, place, codes, pages, basePath }: Failure): string {
  const id = recorded()?.entry.ID;
  const links = [
    place === "" ? "" : editorLink(place, "Open in the editor"),
    id === undefined ? "" : `<a href="${escapeHTML(`${basePath}${ROOT}/requests/${id}`)}">Timeline of this request</a>`,
  ];
  const code = String(Reflect.get(failed.error ?? {}, "Code") ?? "");
  const { cause, remedy } = pages[code] ?? { cause: codes[code]?.Meaning, remedy: codes[code]?.Remedy };
  const values = valuesOf(failed);
  return [
    `<p>${links.filter((link) => link !== "").join(" · ")}</p>`,
    cause === undefined
      ? ""
      : `<h2>${escapeHTML(code)}</h2><p>${escapeHTML(cause)}</p><p>${escapeHTML(remedy ?? "")}</p>`,
    values.length === 0 ? "" : `<h2>Values that handlers have read</h2>${factsOf(values)}`,
  ].join("\n");
}

/** Returns the values that handlers have read, without secrets. */
function valuesOf({ params, query }: FailedExchange): [name: string, html: string][] {
  const found = {
    "Path parameters": Object.fromEntries(params?.Entries() ?? []),
    "Query parameters": query?.values ?? {},
    "Body": recorded()?.value,
  };
  return Object.entries(found).flatMap(([name, value]) => {
    const text = JSON.stringify(withoutSecrets(value), null, 2) ?? "{}";
    return text === "{}" ? [] : [[name, `<pre>${escapeHTML(text)}</pre>`]];
  });
}
