/**
 * Serializes plain data as YAML in block style. Strings are quoted as in JSON, which is valid YAML.
 *
 * @module
 */

/** Serializes a value as YAML. */
export function toYAML(value: unknown): string {
  return block(value, "") + "\n";
}

function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : value.map((item) => `${indent}- ${nested(item, indent, true)}`).join("\n");
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return "{}";
  return entries.map(([key, item]) => `${indent}${JSON.stringify(key)}:${nested(item, indent, false)}`).join("\n");
}

/**
 * Serializes the value after a dash or colon. Scalars and empty collections are written on the same line, and other
 * values as a block below it.
 */
function nested(value: unknown, indent: string, isItem: boolean): string {
  const deeper = `${indent}  `;
  if (typeof value !== "object" || value === null || isEmpty(value)) return (isItem ? "" : " ") + block(value, deeper);
  // The first line of an item follows its dash.
  return isItem ? block(value, deeper).slice(deeper.length) : `\n${block(value, deeper)}`;
}

function isEmpty(value: object): boolean {
  return Object.values(value).every((item) => item === undefined);
}
