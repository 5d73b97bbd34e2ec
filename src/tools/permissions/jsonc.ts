/**
 * Reads and edits JSON with comments, without changing the format of the rest.
 *
 * @module
 */

/** Parses JSON with comments and trailing commas. */
export function parseJSONC(text: string): unknown {
  return JSON.parse(plain(text));
}

/** Replaces comments and trailing commas with spaces, so that all positions remain the same. */
function plain(text: string): string {
  const bare = text.replace(/^\uFEFF/, " ").replace(
    /("(?:\\.|[^"\\])*")|\/\/[^\r\n]*|\/\*[^]*?\*\//g,
    (all, literal?: string) => literal ?? all.replace(/[^\r\n]/g, " "),
  );
  return bare.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, literal?: string) => literal ?? " ");
}

/** The position of a member of an object. */
interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Lists the members of the object that starts at a position in plain JSON. */
function membersOf(text: string, at: number): Member[] {
  const members: Member[] = [];
  const token = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  token.lastIndex = at;
  let depth = 0;
  let key: string | undefined = undefined;
  let start = -1;
  let end = -1;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [word] = found;
    const isEnd = word === "}" || word === "]";
    if (isEnd) depth--;
    if (depth === 0 && isEnd || depth === 1 && word === ",") {
      if (key !== undefined) members.push({ key, start, end });
      key = undefined;
      if (depth === 0) return members;
    } else if (depth === 1 && key === undefined) {
      if (word === ":") continue;
      key = JSON.parse(word);
      start = -1;
    } else if (!(depth === 1 && word === ":")) {
      if (start < 0) start = found.index;
      end = token.lastIndex;
    }
    if (word === "{" || word === "[") depth++;
  }
  return members;
}

/**
 * Sets a value in an object, which is created if it does not exist.
 *
 * @param text The JSON text.
 * @param path The names of the members, from the outermost object inwards.
 * @param lines The lines of the new value. They are indented as required.
 * @returns The new text.
 */
export function setMember(text: string, path: readonly string[], lines: readonly string[]): string {
  const bare = plain(text);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /\n([ \t]+)"/.exec(bare)?.[1] ?? "  ";
  let at = bare.indexOf("{");
  for (const [depth, key] of path.entries()) {
    const members = membersOf(bare, at);
    const found = members.find((member) => member.key === key);
    const rest = path.slice(depth + 1);
    if (found !== undefined && rest.length > 0 && bare[found.start] === "{") {
      at = found.start;
      continue;
    }
    const value = nested(rest, lines, unit).join(newline + unit.repeat(depth + 1));
    if (found !== undefined) return text.slice(0, found.start) + value + text.slice(found.end);
    const last = members.at(-1)?.end ?? at + 1;
    const lead = `${members.length > 0 ? "," : ""}${newline}${unit.repeat(depth + 1)}`;
    // An empty object or an object on one line needs a line break before its closing brace.
    const isClosed = !/^[^\n]*\n/.test(text.slice(last).split("}")[0] ?? "");
    const tail = isClosed ? newline + unit.repeat(depth) : "";
    const after = isClosed ? text.slice(last).trimStart() : text.slice(last).replace(/^,/, "");
    return `${text.slice(0, last)}${lead}${JSON.stringify(key)}: ${value}${tail}${after}`;
  }
  return text;
}

function nested(path: readonly string[], lines: readonly string[], unit: string): readonly string[] {
  const [key, ...rest] = path;
  if (key === undefined) return lines.map((line) => line.replace(/^ +/, (spaces) => unit.repeat(spaces.length / 2)));
  const [first = "", ...others] = nested(rest, lines, unit);
  return ["{", `${unit}${JSON.stringify(key)}: ${first}`, ...others.map((line) => unit + line), "}"];
}
