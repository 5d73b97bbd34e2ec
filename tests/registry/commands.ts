/**
 * Reads the commands that the documentation gives its readers.
 *
 * @module
 */

/** A command as a reader finds it. */
export interface Command {
  /** What the reader types. */
  readonly text: string;
  /** The file and the line where it stands. */
  readonly where: string;
  /** What the text says that comes of it: the comment behind it. */
  readonly outcome: string;
  /** The number of the fence that holds it; commands in running text have none. */
  readonly fence?: number;
}

const fenced = /^```(\w*)[^\n]*\n([^]*?)^```/gm;
const inline = /`((?:deno|npx|curl|docker|FROM) [^`]+|ExecStart=[^`]+)`/g;

/**
 * Lists the commands of a text: the lines of its shell fences, and the code in its sentences that begins with the name
 * of a program.
 *
 * @param text Markdown, or the source of a module whose comments are Markdown.
 * @param file The name to cite.
 * @returns The commands in their order.
 */
export function commandsOf(text: string, file: string): Command[] {
  const markdown = text.replace(/^ \* ?/gm, "");
  const lineAt = (index: number) => markdown.slice(0, index).split("\n").length;
  const found: (Command & { line: number })[] = [];
  const prose = markdown.replace(fenced, (whole, language: string, body: string, at: number) => {
    const first = lineAt(at) + 1;
    for (const [row, typed] of language === "sh" ? body.split("\n").entries() : []) {
      const [, text = "", outcome = ""] = /^(.*?)(?:\s+# (.*))?$/.exec(typed) ?? [];
      const line = first + row;
      if (text !== "") found.push({ text, outcome, line, where: `${file}:${line}`, fence: at });
    }
    return whole.replace(/[^\n]/g, " ");
  });
  for (const match of prose.matchAll(inline)) {
    const line = lineAt(match.index);
    found.push({ text: (match[1] ?? "").replace(/\s+/g, " "), outcome: "", line, where: `${file}:${line}` });
  }
  return found.sort((a, b) => a.line - b.line).map(({ line: _, ...command }) => command);
}
