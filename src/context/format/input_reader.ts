/**
 * Reads the part of a request that a typed input such as `mvc.Body(schema)` names, before its schema validates it.
 *
 * @module
 */

import { HTTPError } from "../../errors/errors.ts";
import { isDescribing, NewProblem } from "../../errors/problem.ts";
import { isForm, isJSON } from "../../body/source/body_type.ts";
import { headerInput, withBigints, withLists } from "../../accessors/fit_input.ts";
import { formInput, queryInput } from "../../accessors/form_input.ts";
import type { StandardSchema } from "../../accessors/schema.ts";
import { type SchemaShape, shapeOf, takesBigint } from "../../accessors/schema_shape.ts";
import type { InputPlace } from "../../accessors/validation_error.ts";
import { bodyOf, type Exchange, paramsOf, queryOf } from "../../exchange/exchange.ts";

/** The source of a route input. */
export type InputKind = "Body" | "Query" | "Form" | "Header" | "Params";

/** The name of the part of the request that each kind of input is read from, for clients. */
export const inputPlaces: Readonly<Record<InputKind, InputPlace>> = {
  Body: "body",
  Form: "body",
  Query: "query",
  Header: "header",
  Params: "path",
};

/** The readers for each kind of input. */
const readers: Readonly<Record<InputKind, <C>(exchange: Exchange<C>, shape: SchemaShape) => unknown>> = {
  Body: readBody,
  Form: readForm,
  Query: (exchange, shape) => withLists(queryInput(queryOf(exchange)), shape),
  Header: ({ request }, shape) => headerInput(request.headers, shape),
  // Without a prototype, so that a name such as `__proto__` has no special meaning.
  Params: (exchange) => Object.assign(Object.create(null), Object.fromEntries(paramsOf(exchange).Entries())),
};

/**
 * Reads an input.
 *
 * @param exchange The request.
 * @param kind The part of the request.
 * @param schema The schema that the input will be validated with.
 * @returns The input, or a promise of it if it waits for the body.
 */
export function readInput<C>(exchange: Exchange<C>, kind: InputKind, schema: StandardSchema): unknown {
  return readers[kind](exchange, shapeOf(schema));
}

/** Reads the body as JSON. Returns `undefined` if there is no body, which a schema may allow. */
async function readBody<C>(exchange: Exchange<C>, shape: SchemaShape): Promise<unknown> {
  const type = exchange.request.headers.get("content-type");
  if (type === null && await isEmpty(exchange)) return undefined;
  if (type === null || !isJSON(type)) throw otherType("JSON");
  return takesBigint(shape)
    ? withBigints(await bodyOf(exchange).losslessJSON(), shape)
    : await bodyOf(exchange).jsonOnly();
}

/** Reads the fields and files of the form. The result is empty if there is no body. */
async function readForm<C>(exchange: Exchange<C>, shape: SchemaShape): Promise<unknown> {
  const type = exchange.request.headers.get("content-type");
  if (type === null ? !await isEmpty(exchange) : !isForm(type)) throw otherType("a form");
  return withLists(await formInput(bodyOf(exchange)), shape);
}

/**
 * Reports whether the body is empty. Over a connection, every request except GET and HEAD has a body stream, and only
 * reading it shows whether it is empty.
 */
async function isEmpty<C>(exchange: Exchange<C>): Promise<boolean> {
  return exchange.request.body === null || (await bodyOf(exchange).bytes()).length === 0;
}

function otherType(wanted: string): HTTPError {
  return new HTTPError(415, `Cannot read the request body: its content type does not match ${wanted}`, {
    Code: "FW_BODY",
  });
}

/**
 * Converts an error of {@linkcode readInput} to problem details, like all other input errors.
 *
 * @param error The error.
 */
export function toProblem(error: unknown): unknown {
  if (!(error instanceof HTTPError) || isDescribing(error)) return error;
  const problem = NewProblem({ Status: error.Status, Detail: error.message });
  problem.cause = error;
  return problem;
}
