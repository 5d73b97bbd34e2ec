// deno-lint-ignore-file no-console -- command-line programs write to the terminal
/**
 * Shared behavior of fw's command-line programs: `--help`, `--version` and one-line errors.
 *
 * @module
 */

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import config from "../../../deno.json" with { type: "json" };
import { codedMessage, messageOf } from "../errors/to_error.ts";

/** The parsed arguments of a program. */
export interface Given {
  /** The flags, by name. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  /** The positional arguments. */
  readonly names: readonly string[];
}

/** A command-line program. */
export interface Program {
  /** The usage text, starting with `usage:`. */
  readonly usage: string;
  /** The flags, in addition to `--help` and `--version`. */
  readonly options: ParseArgsOptionsConfig;
  /**
   * Runs the program.
   *
   * @returns The exit code, or `undefined` if the arguments are invalid.
   */
  run(given: Given): Promise<number | undefined>;
}

/** The exit code for invalid arguments. */
const MISUSE = 2;

/**
 * Parses the arguments and runs a program.
 *
 * @param program The program to run.
 * @param args The command-line arguments.
 * @returns The exit code.
 */
export async function runProgram(program: Program, args: string[]): Promise<number> {
  const isAlone = args.length === 1;
  if (args.includes("--help") || args.includes("-h")) return say(program.usage);
  if (isAlone && (args[0] === "--version" || args[0] === "-V")) return say(config.version);
  const given = parse(program, args);
  if (given === undefined) return MISUSE;
  try {
    const code = await program.run(given);
    if (code !== undefined) return code;
    console.error(program.usage);
    return MISUSE;
  } catch (error) {
    console.error(codedMessage(error));
    return 1;
  }
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function parse({ usage, options }: Program, args: string[]): Given | undefined {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    return { flags: values as Given["flags"], names: positionals };
  } catch (error) {
    // The message names the unknown or incomplete flag. Its advice about positional arguments lacks a closing quote.
    const [reason] = messageOf(error).split(". To specify a positional");
    console.error(`${reason}\n\n${usage}`);
    return undefined;
  }
}
