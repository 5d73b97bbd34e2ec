/**
 * Extracts the commands from the documentation.
 *
 * @module
 */

/** A command in the documentation. */
export interface Command {
  /** The command line. */
  readonly text: string;
  /** The file and line of the command. */
  readonly where: string;
  /** The expected result, taken from the comment after the command. */
  readonly outcome: string;
  /** The index of the code block that contains the command. Commands in sentences have none. */
  readonly fence?: number;
}

const fenced = /^```(\w*)[^\n]*\n([^]*?)^```/gm;
const inline = /`((?:deno|npx|curl|docker|FROM) [^`]+|ExecStart=[^`]+)`/g;

/** Returns the commands in code blocks that send requests to a program on the same page. */
export function callsAmong(commands: readonly Command[]): Command[] {
  const fences = new Set(commands.filter(({ text }) => /\bcurl\b.*\blocalhost:/.test(text)).map(({ fence }) => fence));
  return commands.filter(({ fence }) => fence !== undefined && fences.has(fence));
}

/**
 * Lists the commands in a document: the lines of its shell code blocks, and inline code that starts with the name of a
 * program.
 *
 * @param text Markdown, or the source of a module whose comments are Markdown.
 * @param file The file name, for messages.
 * @returns The commands in order.
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
