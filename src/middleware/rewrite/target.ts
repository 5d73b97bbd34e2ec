/**
 * The target of a rewrite rule. It is a path or URL with placeholders for parameters.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { restoreSlashes } from "../../base/text/path_value.ts";
import { encodePath } from "../../http/headers/canonical_path.ts";

/** A parsed target. */
export interface Target {
  /** The target as written in the rule. */
  readonly source: string;
  /** Whether the target is a path on this site. */
  readonly isPath: boolean;
  /** The literal parts. `params` contains the parameter index between each pair of parts. */
  readonly texts: readonly string[];
  readonly params: readonly number[];
}

/**
 * Parses a target.
 *
 * @param source The path or URL, with `{name}` placeholders.
 * @param names The parameter names of the rule.
 * @returns The target.
 * @throws {FrameworkError} If the target is invalid.
 */
export function parseTarget(source: string, names: readonly string[]): Target {
  const texts: string[] = [];
  const params: number[] = [];
  let from = 0;
  for (const match of source.matchAll(/\{([^}]*)\}/g)) {
    const at = names.indexOf(match[1] ?? "");
    if (at < 0) {
      throw new FrameworkError("FW_CONFIG", `Cannot rewrite to "${source}": the path has no parameter "${match[1]}"`);
    }
    texts.push(source.slice(from, match.index));
    params.push(at);
    from = match.index + match[0].length;
  }
  texts.push(source.slice(from));
  const isPath = /^\/(?![/\\])/.test(source);
  const sample = fill({ source, isPath, texts, params }, names.map(() => "x"), "");
  const url = URL.parse(sample, "http://localhost");
  // If a parameter were part of the host, a client could choose any host: "https://example.com{rest}" with
  // ".evil.example".
  const host = /^https?:\/\/[^/]*/i.exec(source)?.[0] ?? "";
  if (url === null || !isPath && (host === "" || host.includes("{")) || /[\r\n#]/.test(source)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot rewrite to "${source}": use a path with a single leading slash, or a URL with a fixed host`,
    );
  }
  if (isPath && url.href !== `http://localhost${sample}`) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot rewrite to "${source}": write it in its normalized form "${url.pathname}${url.search}"`,
    );
  }
  return { source, isPath, texts, params };
}

/**
 * Fills in the parameter values of a target.
 *
 * @param target The target.
 * @param values The decoded parameter values, in which escaped slashes are marked.
 * @param query The query string of the request with its question mark, or an empty string.
 * @returns The path with its query string, or the URL.
 */
export function fill(target: Target, values: readonly string[], query: string): string {
  let text = target.texts[0] ?? "";
  for (const [at, param] of target.params.entries()) {
    const value = values[param] ?? "";
    // In a query string, the characters "&", "=", "+" and "#" have a special meaning and must be escaped.
    text += text.includes("?") ? encodeURIComponent(restoreSlashes(value)) : encodePath(value);
    text += target.texts[at + 1] ?? "";
  }
  // Otherwise, "/{rest}" with "/evil.example" would lead to another site.
  if (target.isPath) text = text.replace(/^\/[/\\]+/, "/");
  if (query === "" || !text.includes("?")) return text + query;
  return query.length > 1 ? `${text}&${query.slice(1)}` : text;
}
