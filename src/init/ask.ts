/**
 * Questions at the terminal.
 *
 * @module
 */

const suggestedFolder = "my-app";
const yes = /^y(es)?$/i;
const no = /^(no?)?$/i;

/**
 * Asks for the folder of the new application.
 *
 * @returns The folder, `my-app` for an empty line, or `undefined` if the input has ended.
 */
export function askFolder(): string | undefined {
  const line = ask(`Folder of the new application [${suggestedFolder}] `);
  return line === "" ? suggestedFolder : line;
}

/**
 * Asks a question until the reply is yes or no, in any case, whole or by its initial. An empty line is no, and so is
 * the end of the input.
 *
 * @param question The question.
 * @returns Whether the reply was yes.
 */
export function confirms(question: string): boolean {
  for (;;) {
    const line = ask(`${question} [y/N] `) ?? "";
    if (yes.test(line)) return true;
    if (no.test(line)) return false;
    write("Please type yes or no.\n");
  }
}

/** Not `prompt()` and `confirm()`: they do not read input that is piped, and take "Yes" for no. */
function ask(text: string): string | undefined {
  write(text);
  return readLine()?.trim();
}

function write(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

/** Reads byte by byte, so that what follows the line is left for the next question. */
function readLine(): string | undefined {
  const bytes: number[] = [];
  const next = new Uint8Array(1);
  for (;;) {
    const count = Deno.stdin.readSync(next);
    if (count === null && bytes.length === 0) return undefined;
    if (count === null || next[0] === 0x0a) return new TextDecoder().decode(new Uint8Array(bytes));
    bytes.push(...next);
  }
}
