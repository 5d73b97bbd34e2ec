/**
 * Writes plain data as YAML: block style, and texts in the quotes of JSON, which YAML reads as they are.
 *
 * @module
 */

/** Writes a value. */
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

/** What follows a dash or a colon: a scalar or an empty collection on the same line, else a block below it. */
function nested(value: unknown, indent: string, isItem: boolean): string {
  const deeper = `${indent}  `;
  if (typeof value !== "object" || value === null || isEmpty(value)) return (isItem ? "" : " ") + block(value, deeper);
  // The first line of an item stands behind its dash.
  return isItem ? block(value, deeper).slice(deeper.length) : `\n${block(value, deeper)}`;
}

function isEmpty(value: object): boolean {
  return Object.values(value).every((item) => item === undefined);
}
