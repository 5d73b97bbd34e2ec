// deno-lint-ignore-file no-console -- a program of the command line speaks on the terminal
/**
 * What the programs of the command line have in common: `--help`, `--version`, and errors in one line.
 *
 * @module
 */

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import config from "../../deno.json" with { type: "json" };
import { messageOf } from "./to_error.ts";

/** What a program is given. */
export interface Given {
  /** The flags, by their names. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  /** The other arguments. */
  readonly names: readonly string[];
}

/** A program. */
export interface Program {
  /** How it is used, beginning with `usage:`. */
  readonly usage: string;
  /** Its flags, beside `--help` and `--version`. */
  readonly options: ParseArgsOptionsConfig;
  /**
   * Does its work.
   *
   * @returns The exit code, or `undefined` if the arguments are wrong.
   */
  run(given: Given): Promise<number | undefined>;
}

/** The exit code for arguments that make no sense. */
const MISUSE = 2;

/**
 * Runs a program.
 *
 * @param program The program.
 * @param args Its arguments.
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
    console.error(messageOf(error));
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
    // It names the flag that is unknown or lacks its value.
    console.error(`${messageOf(error)}\n\n${usage}`);
    return undefined;
  }
}
