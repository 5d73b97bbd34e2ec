/**
 * Where a rule leads: a path or URL with places for the values of parameters.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { restoreSlashes } from "../../base/inner_slash.ts";
import { encodePath } from "../../http/canonical_path.ts";

/** A target, read. */
export interface Target {
  /** The target as it was given. */
  readonly source: string;
  /** True for a path on this site. */
  readonly isPath: boolean;
  /** Text and, between two texts, the index of the parameter that stands there. */
  readonly texts: readonly string[];
  readonly params: readonly number[];
}

/**
 * Reads a target.
 *
 * @param source The path or URL, with `{name}` where a value goes.
 * @param names The parameters of the rule.
 * @returns The target.
 */
export function parseTarget(source: string, names: readonly string[]): Target {
  const texts: string[] = [];
  const params: number[] = [];
  let from = 0;
  for (const match of source.matchAll(/\{([^}]*)\}/g)) {
    const at = names.indexOf(match[1] ?? "");
    if (at < 0) {
      throw new FrameworkError("FW_CONFIG", `Cannot rewrite to "${source}": no parameter is named "${match[1]}"`);
    }
    texts.push(source.slice(from, match.index));
    params.push(at);
    from = match.index + match[0].length;
  }
  texts.push(source.slice(from));
  const isPath = /^\/(?![/\\])/.test(source);
  const sample = fill({ source, isPath, texts, params }, names.map(() => "x"), "");
  const url = URL.parse(sample, "http://localhost");
  // A host that a client completes is any host: "https://example.com{rest}" with ".evil.example".
  const host = /^https?:\/\/[^/]*/i.exec(source)?.[0] ?? "";
  if (url === null || !isPath && (host === "" || host.includes("{")) || /[\r\n#]/.test(source)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot rewrite to "${source}": it is neither a path with one leading slash nor a URL with a fixed host`,
    );
  }
  if (isPath && url.href !== `http://localhost${sample}`) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot rewrite to "${source}": a URL carries it as "${url.pathname}${url.search}"`,
    );
  }
  return { source, isPath, texts, params };
}

/**
 * Fills a target in.
 *
 * @param target The target.
 * @param values The values of the rule's parameters, decoded; slashes that were escaped are marked.
 * @param query The query of the request with its question mark, or nothing.
 * @returns The path with its query, or the URL.
 */
export function fill(target: Target, values: readonly string[], query: string): string {
  let text = target.texts[0] ?? "";
  for (const [at, param] of target.params.entries()) {
    const value = values[param] ?? "";
    // In a query, "&", "=", "+" and "#" of a value would begin another parameter, or be a blank.
    text += text.includes("?") ? encodeURIComponent(restoreSlashes(value)) : encodePath(value);
    text += target.texts[at + 1] ?? "";
  }
  // "/{rest}" with "/evil.example" would be the address of another site.
  if (target.isPath) text = text.replace(/^\/[/\\]+/, "/");
  if (query === "" || !text.includes("?")) return text + query;
  return query.length > 1 ? `${text}&${query.slice(1)}` : text;
}
