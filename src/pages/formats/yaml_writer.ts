/**
 * YAML serialization. Values are converted as for JSON, so there are only objects, arrays, strings, numbers, booleans
 * and null.
 *
 * @module
 */

import { toJSON } from "../../base/text/json.ts";

/** Serializes a value as YAML. */
export function toYAML(value: unknown): string {
  return `${nodeOf(JSON.parse(toJSON(value)), 0, true)}\n`;
}

/**
 * Serializes a value.
 *
 * @param level The number of levels by which its lines are indented.
 * @param isInline Whether an array or object begins on the current line, as after a dash.
 */
function nodeOf(value: unknown, level: number, isInline: boolean): string {
  if (typeof value === "string") {
    return value.includes("\n") && isPrintable(value) ? blockOf(value, level) : textOf(value);
  }
  // YAML requires a dot in numbers with a negative exponent.
  if (typeof value === "number") return String(value).replace(/^(-?\d+)(?=e-)/, "$1.");
  if (typeof value !== "object" || value === null) return String(value);
  const line = `\n${"  ".repeat(level)}`;
  const lines = Array.isArray(value)
    ? value.map((item) => `- ${nodeOf(item, level + 1, true)}`)
    : Object.entries(value).map(([key, item]) => pairOf(textOf(key), item, level));
  if (lines.length === 0) return Array.isArray(value) ? "[]" : "{}";
  return (isInline ? "" : line) + lines.join(line);
}

/** Serializes a member of an object. Parsers expect a mark before a long key. */
function pairOf(key: string, item: unknown, level: number): string {
  const isLong = key.length > 1024;
  const value = nodeOf(item, level + 1, isLong);
  const start = isLong ? `? ${key}\n${"  ".repeat(level)}` : key;
  return `${start}:${value.startsWith("\n") ? "" : " "}${value}`;
}

/** Serializes a string with several lines. */
function blockOf(text: string, level: number): string {
  const indent = "  ".repeat(Math.max(1, level));
  const hasIndent = /^\n* /.test(text) ? "2" : "";
  const end = !text.endsWith("\n") ? "-" : text.endsWith("\n\n") || text === "\n" ? "+" : "";
  return `|${hasIndent}${end}\n${text.replace(/^(?=.)/gm, indent).replace(/\n$/, "")}`;
}

/** Strings that parsers would read as another type, including the booleans of YAML 1.1. */
const ambiguous =
  /^(?:|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|<<|\d{4}-\d\d-\d\d|[-+]?0(?:b[01_]*[01]|x[\da-fA-F_]*[\da-fA-F]|[0-7_]*[0-7])|[-+]?(?:0|[1-9][\d_]*)(?:\.[\d_]*)?(?:[eE][-+]?\d+)?|\.[\d_]+(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))(?<!_)$/;

/** Strings that need no quotes. */
const plain = /^(?![-?&*!|>'"%@`\s])[^\n,[\]{}:#]*(?<!\s)$/;

/** Serializes a string in a single line. */
function textOf(text: string): string {
  if (!isPrintable(text) || text.includes("\n")) return `"${escaped(text)}"`;
  return plain.test(text) && !ambiguous.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

const escapes: Readonly<Record<string, string>> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\x85": "N",
  "\xa0": "_",
  "\u2028": "L",
  "\u2029": "P",
};

/** Matches characters that are escaped in a string with double quotes. */
const special = /[^ -~\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]|["\\]/gu;

function isPrintable(text: string): boolean {
  return !/[^\n -~\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u.test(text);
}

function escaped(text: string): string {
  return text.replace(special, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    const [letter, digits] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8];
    return `\\${escapes[sign] ?? letter + code.toString(16).toUpperCase().padStart(digits, "0")}`;
  });
}
