/**
 * Streams of JSON values. Only one value is held in memory at a time.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { count, flag } from "../../base/config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { parseLossless } from "../../base/text/lossless_json.ts";
import { fitJSON } from "./fit_input.ts";
import { type StandardSchema, validate } from "./schema.ts";

/** Options for `ctx.ReadJSONStream`. */
export interface JSONStreamOptions {
  /**
   * Whether the body is a single array whose items are the values. If `false`, the values follow one another.
   *
   * @default {false}
   */
  ArrayStream?: boolean;
  /**
   * The maximum length of one value, in characters.
   *
   * @default {1048576}
   */
  MaxValue?: number;
  /**
   * Whether to accept a body whose content type is not JSON.
   *
   * @default {false}
   */
  AnyType?: boolean;
}

const table = optionTable<JSONStreamOptions>("JSONStreamOptions", "ReadJSONStream")({
  ArrayStream: flag(false),
  MaxValue: count(1 << 20, { to: Infinity }),
  AnyType: flag(false),
});

/** Checks the options and applies the defaults. */
export function streamSettings(options: JSONStreamOptions): Filled<JSONStreamOptions> {
  return readOptions(table, options);
}

/** Parses the values of a body and validates each one against the schema. */
export async function* jsonValues<T>(
  chunks: AsyncIterable<Uint8Array>,
  schema: StandardSchema<T> | undefined,
  { ArrayStream, MaxValue }: Filled<JSONStreamOptions>,
): AsyncGenerator<T> {
  const { JSONSplitter, malformed } = await loadModule(() => import("./json_splitter.ts"));
  const valueOf = (text: string) => checkedValue(text, schema, malformed);
  const splitter = new JSONSplitter({ isArray: ArrayStream, max: MaxValue });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    for (const text of splitter.push(decoder.decode(chunk, { stream: true }))) yield await valueOf(text);
  }
  for (const text of splitter.push(decoder.decode())) yield await valueOf(text);
  const last = splitter.end();
  if (last !== undefined) yield await valueOf(last);
}

async function checkedValue<T>(
  text: string,
  schema: StandardSchema<T> | undefined,
  malformed: (reason: string, cause?: unknown) => Error,
): Promise<T> {
  let value: unknown;
  try {
    value = schema === undefined ? JSON.parse(text) : parseLossless(text);
  } catch (cause) {
    throw malformed("a value is malformed", cause);
  }
  // An invalid schema is not the fault of the client.
  const [output, error] = await validate(schema === undefined ? value : fitJSON(value, schema), schema);
  if (error !== null) throw error;
  return output;
}
