/**
 * Prompts on the terminal.
 *
 * @module
 */

const suggestedFolder = "my-app";
const yes = /^y(es)?$/i;
const no = /^(no?)?$/i;

/**
 * Asks for the folder to create the application in.
 *
 * @returns The folder, `my-app` for an empty line, or `undefined` at the end of the input.
 */
export function askFolder(): string | undefined {
  const line = ask(`Folder for the new application [${suggestedFolder}] `);
  return line === "" ? suggestedFolder : line;
}

/**
 * Asks a yes-or-no question until the reply is valid. Accepts "y", "yes", "n" and "no" in any case. An empty line or
 * the end of the input means no.
 *
 * @param question The question.
 * @returns Whether the user confirmed.
 */
export function askYesNo(question: string): boolean {
  for (;;) {
    const line = ask(`${question} [y/N] `) ?? "";
    if (yes.test(line)) return true;
    if (no.test(line)) return false;
    write("Please enter yes or no.\n");
  }
}

/**
 * Prints a prompt and reads a line. `prompt()` and `confirm()` are not used, because they ignore piped input and treat
 * "Yes" as no.
 */
function ask(text: string): string | undefined {
  write(text);
  return readLine()?.trim();
}

function write(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

/** Reads a line byte by byte, so that the rest of the input remains for the next question. */
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
