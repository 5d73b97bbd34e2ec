/**
 * Reads request bodies and typed inputs. The readers are loaded on first use.
 *
 * @module
 */

import type { JSONStreamOptions } from "../../accessors/json_stream.ts";
import type { JSONOptions } from "../../accessors/read_input.ts";
import type { StandardSchema } from "../../accessors/schema.ts";
import type { FormInput } from "../../accessors/form_input.ts";
import type { FormOptions } from "../../accessors/form_options.ts";
import type { FormResult } from "../../accessors/form_result.ts";
import { LazyModule } from "../../../base/async/lazy_module.ts";
import type { Result } from "../../../base/errors/errors.ts";
import { toError } from "../../../base/errors/to_error.ts";
import { bodyOf, type Exchange, queryOf } from "../../exchange/exchange.ts";
import { ownInputs } from "../../exchange/own_inputs.ts";
import type { FormatName } from "./formats.ts";
import type { RouteInput, TypedInput } from "./input_reader.ts";

const readers = new LazyModule(() => import("./read_format.ts"));
const inputs = new LazyModule(() => import("./inputs.ts"));

/** Loads the readers of inputs, so that a route with inputs reads its query string synchronously. */
export async function loadInputs(): Promise<void> {
  await inputs.get();
}

/** Returns the bytes of the body. */
export async function getBody(
  body: { bytes(): Promise<Uint8Array<ArrayBuffer>> },
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  try {
    return [await body.bytes(), null];
  } catch (error) {
    return [undefined, toError(error)];
  }
}

/** Parses the body as JSON. */
export async function readJSON<C, T>(
  exchange: Exchange<C>,
  schema: StandardSchema<T> | undefined,
  options: JSONOptions,
): Promise<Result<T>> {
  const { readJSON, readerOf } = inputs.loaded ?? await inputs.get();
  return await readJSON(readerOf(bodyOf(exchange)), schema, options);
}

/** Reads the fields and files of the form. */
export async function readForm<C, T = Record<string, FormInput>>(
  exchange: Exchange<C>,
  schema: StandardSchema<T> | undefined,
  options: FormOptions | undefined,
): Promise<Result<T>> {
  const { formRules, readForm, readerOf } = inputs.loaded ?? await inputs.get();
  return await readForm(readerOf(bodyOf(exchange)), schema, formRules(exchange, options));
}

/** Reads and validates a form that is shown again with its errors. */
export async function readFormResult<C, T>(
  exchange: Exchange<C>,
  schema: StandardSchema<T>,
  options: FormOptions | undefined,
): Promise<FormResult<T>> {
  const { formRules, readFormResult, readerOf } = inputs.loaded ?? await inputs.get();
  return await readFormResult(readerOf(bodyOf(exchange)), schema, formRules(exchange, options));
}

/** Reads the query parameters. */
export async function readQuery<C, T>(
  exchange: Exchange<C>,
  schema: StandardSchema<T> | undefined,
): Promise<Result<T>> {
  const { readQuery } = inputs.loaded ?? await inputs.get();
  return await readQuery(queryOf(exchange), schema, ownInputs(exchange, "query"));
}

/** Reads and validates an input of a route. The first one waits for its reader. */
export function readInput<C>(exchange: Exchange<C>, input: TypedInput, all: readonly RouteInput[]): unknown {
  const { loaded } = inputs;
  if (loaded !== undefined) return loaded.readInput(exchange, input, all);
  return Promise.resolve(inputs.get()).then(({ readInput }) => readInput(exchange, input, all));
}

/** Reads and validates an input that does not wait for the body, without validating the other inputs of the route. */
export function readInputNow<C>(exchange: Exchange<C>, input: TypedInput): unknown {
  const { loaded } = inputs;
  if (loaded !== undefined) return loaded.readInputNow(exchange, input);
  return Promise.resolve(inputs.get()).then(({ readInputNow }) => readInputNow(exchange, input));
}

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
