/**
 * The features of a new application.
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

/** The features of a new application. */
export interface Choices {
  /** The name of the application and its folder. */
  Name: string;
  /** Whether to include a JSON API. */
  API: boolean;
  /** Whether to include templates and static files. */
  Site: boolean;
  /** Whether to include a controller with a service. */
  MVC: boolean;
  /** Whether to include sessions. */
  Sessions: boolean;
  /** Whether to include accounts. */
  Accounts?: boolean;
}

/** The question for each feature, in the order they are asked. */
export const questions: readonly { readonly part: Exclude<keyof Choices, "Name">; readonly text: string }[] = [
  { part: "API", text: "Add a JSON API?" },
  { part: "Site", text: "Add HTML templates and static files?" },
  { part: "MVC", text: "Add a controller with a service?" },
  { part: "Sessions", text: "Add sessions?" },
  { part: "Accounts", text: "Add accounts, with sign-up, login, passkeys and settings?" },
];
