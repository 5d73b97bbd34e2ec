/**
 * Lists the options of all published types, for the reference and for tests.
 *
 * @module
 */

import type { Members } from "../../src/base/config/option_kinds.ts";
import { optionTables } from "../../src/base/config/option_table.ts";
import { entries } from "./entries.ts";

/** The modules with options that are loaded on first use. */
const late: readonly string[] = [
  "src/core/accessors/json_stream.ts",
  "src/core/accessors/read_input.ts",
  "src/http/body/save_uploads.ts",
  "src/pages/formats/markdown.ts",
  "src/pages/formats/xml_writer.ts",
  "src/tools/httptest/socket.ts",
  "src/http/response/file/file_options.ts",
];

/** An option. */
export interface ListedOption {
  readonly Name: string;
  /** The accepted values, such as `a string`. */
  readonly Kind: string;
  readonly Default: unknown;
  readonly IsRequired: boolean;
  /** The unit of a number, such as `bytes`. */
  readonly Unit: string | undefined;
  /** The minimum of a number. It is excluded if the number must be positive. */
  readonly Min: number | undefined;
  readonly IsPositive: boolean;
  readonly Max: number | undefined;
  readonly IsWhole: boolean;
  /** The fixed set of values. */
  readonly Values: readonly unknown[] | undefined;
  /** The members of an object. */
  readonly Members: readonly ListedOption[] | undefined;
}

/** The options of a type. */
export interface ListedTable {
  /** The entry point, such as `@fw/web/middleware/cors`. */
  readonly Entry: string;
  /** The name of the type, such as `Options`. */
  readonly Type: string;
  /** The name of the part that the options belong to, as in messages. */
  readonly Owner: string;
  readonly Options: readonly ListedOption[];
}

/**
 * Loads all entry points and lists their options.
 *
 * @returns The tables, in the order of their entry points and types.
 */
export async function listOptions(): Promise<ListedTable[]> {
  for (const file of [...entries.map(([, each]) => each), ...late]) {
    await import(new URL(`../../${file}`, import.meta.url).href);
  }
  const tables = optionTables().map(({ type, owner, rows }) => {
    const [, path = "", name = ""] = /^(?:(.*)\.)?(\w+)$/.exec(type) ?? [];
    const Entry = path === "" ? "@fw/web" : `@fw/web/${path}`;
    return { Entry, Type: name, Owner: owner, Options: listed(rows) };
  });
  return tables.sort((a, b) => a.Entry.localeCompare(b.Entry, "en") || a.Type.localeCompare(b.Type, "en"));
}

function listed(rows: Members): ListedOption[] {
  return Object.entries(rows).map(([Name, { noun, fallback, isRequired, unit, range, values, members }]) => ({
    Name,
    Kind: noun,
    Default: fallback,
    IsRequired: isRequired === true,
    Unit: unit,
    Min: range && (range.from ?? 0),
    IsPositive: range?.isPositive === true,
    Max: range?.to,
    IsWhole: range?.isWhole === true,
    Values: values,
    Members: members && listed(members),
  }));
}
