/**
 * Validated environment variables.
 *
 * @module
 */

import { record, text, texts, where } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { addSecret, MASK, maskSecrets } from "../../base/log/secrets.ts";
import type { SchemaShape } from "./input_shapes.ts";
import { checkNow, type SchemaIssue, schemaOption, type StandardSchema } from "./schema.ts";
import { shapeOf } from "./schema_shape.ts";
import { typedInput } from "./text_input.ts";

/** Options for {@linkcode Env}. */
export interface EnvOptions {
  /** The names of the variables. Required only if the schema library does not expose them. */
  readonly Names?: readonly string[];
  /**
   * The names of variables that are secrets, in addition to those whose names contain a word such as `SECRET`,
   * `PASSWORD`, `TOKEN` or `KEY`, and to URLs with a password.
   */
  readonly Secrets?: readonly string[];
  /** The name of the current environment, which selects the defaults. */
  readonly Environment?: string;
  /** The defaults for each environment, as strings, as in the variables themselves. */
  readonly Defaults?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const table = optionTable<EnvOptions>("EnvOptions", "Env")({
  Names: texts(),
  Secrets: texts([]),
  Environment: text(""),
  Defaults: where(
    record({}),
    "an object with an object of strings for each environment",
    (all) =>
      Object.values(all).every((each) => Object.values(Object(each)).every((value) => typeof value === "string")),
  ),
});

const notAllowed = "not allowed to be read";

type Texts = Readonly<Record<string, string | undefined>>;

/** The parts of names that secrets have. */
const secretNames =
  /SECRET|PASSW|TOKEN|CREDENTIAL|PRIVATE|API_?KEY|(?:^|_)(?:KEYS?|PASS|PWD|PIN|SALT|PEPPER|DSN)(?:_|$)/i;
/** A URL with a user and a password, such as the address of a database. */
const urlPassword = /^[a-z][\w+.-]*:\/\/[^/?#]*:(.+)@/is;

/**
 * Reads and validates environment variables. Only the variables in the schema are read, so that their names are the
 * value of `--allow-env`. Strings are converted to the types in the schema: numbers, booleans (`true`, `false`, `1` and
 * `0`), dates, and arrays of values that are separated by commas. Secrets are never part of the error message, and they
 * are masked in log lines and if the result is printed.
 *
 * @param schema A schema of an object, from any library that implements Standard Schema.
 * @param options The names of secrets, and the defaults for each environment.
 * @returns The schema's output, which is read-only.
 * @throws {FrameworkError} If variables are missing, invalid or not allowed to be read. The message lists all of them.
 *
 * @example Reading the settings of an application
 * ```ts
 * import * as fw from "@fw/web";
 * import { z } from "npm:zod@^4";
 *
 * const settings = z.object({ APP_PORT: z.int().default(8080), APP_SECRET: z.string().min(16) });
 * const env = fw.Env(settings, {
 *   Environment: "development",
 *   Defaults: { development: { APP_SECRET: "only-for-development" } },
 * });
 * env.APP_PORT; // → 8080
 * JSON.stringify(env); // → '{"APP_PORT":8080,"APP_SECRET":"…"}'
 * ```
 */
export function Env<T extends object>(schema: StandardSchema<T>, options: EnvOptions = {}): Readonly<T> {
  checkArgument(schema, schemaOption(), "schema", "Env");
  const { Names, Secrets, Environment, Defaults } = readOptions(table, options);
  const shape = shapeOf(schema);
  const names = Names ?? [...shape.members.keys()];
  if (names.length === 0) {
    throw failure(`the schema does not reveal the names of its variables; set the option "Names"`);
  }
  const defaults = Defaults[Environment] ?? {};
  for (const name of [...Object.keys(defaults), ...Secrets]) {
    if (!names.includes(name)) throw failure(`the schema has no variable "${name}"`);
  }
  const { texts, denied } = readTexts(names, shape, defaults);
  const isSecret = (name: string) =>
    Secrets.includes(name) || urlPassword.test(texts[name] ?? "") ||
    // A number such as TOKEN_LIFETIME is not a secret.
    secretNames.test(name) && isText(shape.members.get(name));
  const secrets = new Set(names.filter(isSecret));
  for (const name of secrets) valuesOf(texts[name] ?? "", shape.members.get(name)).forEach(hide);

  const result = judge(schema, shape, texts);
  if (result.issues === undefined && denied.length === 0) return veil(result.value, secrets);
  // The messages about secrets are those for other text of the same length, which cannot repeat the secrets.
  const others = names.map((name) => [name, secrets.has(name) ? texts[name]?.replace(/./gsu, MASK) : texts[name]]);
  const { issues: safe = [] } = judge(schema, shape, Object.fromEntries(others));
  const faults = (result.issues ?? []).map((issue) => {
    const name = nameOf(issue);
    if (name === "") return maskSecrets(issue.message);
    if (texts[name] === undefined) return `${name}: ${denied.includes(name) ? notAllowed : "not set"}`;
    const shown = secrets.has(name) ? safe.find((each) => nameOf(each) === name) : issue;
    return `${name}: ${maskSecrets(shown?.message ?? "invalid")}`;
  });
  const hints = denied.length === 0 ? [] : [`Run with --allow-env=${names.join(",")}`];
  throw failure("variables are missing or invalid", [
    ...new Set([...faults, ...denied.map((name) => `${name}: ${notAllowed}`), ...hints]),
  ]);
}

/** Reads the variables. A variable without a value is not set, unless its value may be an empty string. */
function readTexts(names: readonly string[], shape: SchemaShape, defaults: Texts): { texts: Texts; denied: string[] } {
  const texts: Record<string, string | undefined> = Object.create(null);
  const denied: string[] = [];
  for (const name of names) {
    try {
      const text = Deno.env.get(name);
      const isSet = text !== undefined && (text !== "" || shape.members.get(name)?.isText !== false);
      texts[name] = isSet ? text : defaults[name];
    } catch (error) {
      if (!(error instanceof Deno.errors.NotCapable)) throw error;
      denied.push(name);
    }
  }
  return { texts, denied };
}

function judge<T>(schema: StandardSchema<T>, shape: SchemaShape, texts: Texts) {
  const input: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(texts)) {
    if (text === undefined) continue;
    const member = shape.members.get(name);
    const values = valuesOf(text, member);
    input[name] = member === undefined ? text : typedInput(member.isList ? values : text, member, "header");
  }
  const result = checkNow(input, schema);
  if (result === undefined) throw failure("the schema is asynchronous");
  return result;
}

/** Reports whether a schema accepts any string, or an array of them. */
function isText(shape: SchemaShape | undefined): boolean {
  return shape === undefined || shape.kinds.has("string") || shape.isList && isText(shape.items);
}

/** Returns the values of a variable, which are separated by commas if the schema expects an array. */
function valuesOf(text: string, shape: SchemaShape | undefined): string[] {
  return shape?.isList === true ? text.split(",").map((item) => item.trim()) : [text];
}

function nameOf({ path: [step] = [] }: SchemaIssue): string {
  return String(typeof step === "object" ? step.key : step ?? "");
}

/** Masks a secret in log lines. Of a URL, only the password is a secret. */
function hide(text: string): void {
  const [, password = text] = urlPassword.exec(text) ?? [];
  addSecret(password);
}

/** Makes an object read-only and hides its secrets wherever it is printed. */
function veil<T extends object>(value: T, secrets: ReadonlySet<string>): Readonly<T> {
  const shown = () =>
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        secrets.has(name) ? MASK : typeof each === "string" ? maskSecrets(each) : each,
      ]),
    );
  const print = { value: shown };
  // The output of a schema may be read-only already.
  const open = Object.isExtensible(value) ? value : { ...value };
  return Object.freeze(
    Object.defineProperties(open, { toJSON: print, [Symbol.for("nodejs.util.inspect.custom")]: print }),
  );
}

function failure(reason: string, faults: readonly string[] = []): FrameworkError {
  const lines = faults.map((fault) => `\n  ${fault}`).join("");
  return new FrameworkError("FW_ENV", `Cannot read the environment: ${reason}${lines}`);
}
