/**
 * Reads request bodies in formats other than JSON and forms. The readers are loaded on first use.
 *
 * @module
 */

import type { JSONStreamOptions } from "../../accessors/json_stream.ts";
import type { JSONOptions } from "../../accessors/read_input.ts";
import type { StandardSchema } from "../../accessors/schema.ts";
import { LazyModule } from "../../async/lazy_module.ts";
import type { Result } from "../../errors/errors.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { FormatName } from "./formats.ts";

const readers = new LazyModule(() => import("./read_format.ts"));

/** Reads the body in one of these formats. */
export async function readFormat<C, T>(
  exchange: Exchange<C>,
  name: FormatName,
  schema?: StandardSchema<T>,
  options?: JSONOptions,
): Promise<Result<T>> {
  return await (await readers.get()).readFormat(exchange, name, schema, options);
}

/** Reads the input in the format declared by the request. */
export async function readBody<C, T>(exchange: Exchange<C>, schema?: StandardSchema<T>): Promise<Result<T>> {
  return await (await readers.get()).readBody(exchange, schema);
}

/** Reads the values of a JSON stream, one at a time. */
export async function* readJSONStream<C, T>(
  exchange: Exchange<C>,
  schema: StandardSchema<T> | undefined,
  options: JSONStreamOptions,
): AsyncGenerator<T> {
  yield* (await readers.get()).readJSONStream(exchange, schema, options);
}
