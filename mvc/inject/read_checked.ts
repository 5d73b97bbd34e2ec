/**
 * Reads a part of the request and validates it with a schema.
 *
 * @module
 */

import { Route } from "../../src/app/record/route.ts";
import type { InputKind, RouteInput } from "../../src/app/record/route_description.ts";
import { HTTPError } from "../../src/errors/errors.ts";
import { isDescribing, NewProblem } from "../../src/errors/problem.ts";
import { isThenable } from "../../src/async/thenable.ts";
import { isForm, isJSON } from "../../src/body/source/body_type.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import { bodyOf, queryOf } from "../../src/exchange/exchange.ts";
import { headerInput, withBigints, withLists } from "../../src/accessors/fit_input.ts";
import { type FormInput, formInput, queryInput } from "../../src/accessors/form_input.ts";
import { checkForm } from "../../src/accessors/form_result.ts";
import { keptValues } from "../../src/accessors/kept_values.ts";
import { check } from "../../src/accessors/schema.ts";
import { type SchemaShape, shapeOf, takesBigint } from "../../src/accessors/schema_shape.ts";
import { type InputPlace, keepValues, ValidationError } from "../../src/accessors/validation_error.ts";
import { type InputToken, inputToken } from "./input_token.ts";

/** The name of the part of the request that each kind of input is read from, for clients. */
const places: Readonly<Record<InputKind, InputPlace>> = {
  Body: "body",
  Form: "body",
  Query: "query",
  Header: "header",
  Params: "path",
};

/** The readers for each kind of input. Those that wait for the body return a promise or throw. */
const readers: Readonly<Record<InputKind, (ctx: Context, shape: SchemaShape) => unknown>> = {
  Body: readBody,
  Form: readForm,
  Query: (ctx, shape) => withLists(queryInput(queryOf(exchangeOf(ctx))), shape),
  Header: (ctx, shape) => headerInput(ctx.Request().headers, shape),
  Params: (ctx) => record(ctx.Params().Entries()),
};

/** The kinds of input that wait for the body. */
export const lateKinds: ReadonlySet<InputKind> = new Set(["Body", "Form"]);

/**
 * Reads and validates an input. If it is not valid, the other inputs of the route are validated too, so that the client
 * learns about all errors at once.
 *
 * @param ctx The request context.
 * @param token The part of the request and the schema.
 * @returns The output of the schema, or a promise if reading or validating is asynchronous.
 */
export function readChecked(ctx: Context, token: InputToken): unknown {
  if (lateKinds.has(token.kind)) return readCheckedLater(ctx, token);
  const checked = check(readers[token.kind](ctx, shapeOf(token.schema)), token.schema, places[token.kind]);
  if (isThenable(checked)) return checked.then(([value, error]) => error === null ? value : fail(ctx, token, error));
  return checked[1] === null ? checked[0] : fail(ctx, token, checked[1]);
}

/**
 * Reads and validates an input that does not wait for the body, without validating the other inputs of the route.
 *
 * @param ctx The request context.
 * @param token The part of the request and the schema.
 * @returns The output of the schema, or a promise if validating is asynchronous.
 */
export function readAlone(ctx: Context, { kind, schema }: InputToken): unknown {
  const checked = check(readers[kind](ctx, shapeOf(schema)), schema, places[kind]);
  if (isThenable(checked)) return checked;
  if (checked[1] !== null) throw checked[1];
  return checked[0];
}

/**
 * Reads and validates an input that waits for the body. Written as one function that awaits the schema only if it is
 * asynchronous, because each promise costs time per request.
 */
async function readCheckedLater(ctx: Context, token: InputToken): Promise<unknown> {
  const { kind, schema } = token;
  let input: unknown;
  try {
    input = await readers[kind](ctx, shapeOf(schema));
  } catch (error) {
    throw toProblem(error);
  }
  if (token.isOutcome) return checkForm(input, schema);
  const checked = check(input, schema, places[kind]);
  const [value, error] = isThenable(checked) ? await checked : checked;
  if (kind === "Form" && error instanceof ValidationError) keepValues(error, keptValues(input));
  if (error !== null) return input === undefined ? Promise.reject(unreadable(kind)) : fail(ctx, token, error);
  return value;
}

/** Fails with the errors of an input and of all other inputs of its route, or immediately if there are no others. */
function fail(ctx: Context, token: InputToken, error: Error): Promise<never> {
  const { info } = exchangeOf(ctx).route;
  const inputs = info instanceof Route ? info.Inputs : [];
  const others = inputs.filter(({ Kind, Schema }) => Kind !== token.kind || Schema !== token.schema);
  if (!(error instanceof ValidationError) || others.length === 0) throw error;
  return failWithAll(ctx, inputs, token, error);
}

async function failWithAll(
  ctx: Context,
  inputs: readonly RouteInput[],
  token: InputToken,
  error: ValidationError,
): Promise<never> {
  const issues = [];
  for (const { Kind, Schema } of inputs) {
    const isSame = Kind === token.kind && Schema === token.schema;
    issues.push(...isSame ? error.Issues : await issuesOf(ctx, inputToken(Kind, Schema as InputToken["schema"])));
  }
  const failure = new ValidationError(issues);
  keepValues(failure, error.Values);
  throw failure;
}

/** Returns the errors of another input. An input that cannot be read at all reports its own error when it is alone. */
async function issuesOf(ctx: Context, { kind, schema }: InputToken): Promise<ValidationError["Issues"]> {
  try {
    const [, error] = await check(await readers[kind](ctx, shapeOf(schema)), schema, places[kind]);
    return error instanceof ValidationError ? error.Issues : [];
  } catch {
    return [];
  }
}

/** Reads the body as JSON. Returns `undefined` if there is no body, which a schema may allow. */
function readBody(ctx: Context, shape: SchemaShape): Promise<unknown> {
  const exchange = exchangeOf(ctx);
  const type = exchange.request.headers.get("content-type");
  if (type === null) return readNoBody(ctx);
  if (!isJSON(type)) throw otherType("JSON");
  return takesBigint(shape) ? readBigints(ctx, shape) : bodyOf(exchange).jsonOnly();
}

async function readBigints(ctx: Context, shape: SchemaShape): Promise<unknown> {
  return withBigints(await bodyOf(exchangeOf(ctx)).losslessJSON(), shape);
}

async function readNoBody(ctx: Context): Promise<undefined> {
  if (!await isEmpty(ctx)) throw otherType("JSON");
}

/** Reads the fields and files of the form. The result is empty if there is no body. */
async function readForm(ctx: Context, shape: SchemaShape): Promise<unknown> {
  const type = exchangeOf(ctx).request.headers.get("content-type");
  if (type === null ? !await isEmpty(ctx) : !isForm(type)) throw otherType("a form");
  return withLists(await formInput(bodyOf(exchangeOf(ctx))), shape);
}

/**
 * Reports whether the body is empty. Over a connection, every request except GET and HEAD has a body stream, and only
 * reading it shows whether it is empty.
 */
async function isEmpty(ctx: Context): Promise<boolean> {
  return exchangeOf(ctx).request.body === null || (await bodyOf(exchangeOf(ctx)).bytes()).length === 0;
}

/** Converts a read error to problem details, like all other input errors. */
function toProblem(error: unknown): unknown {
  if (!(error instanceof HTTPError) || isDescribing(error)) return error;
  const problem = NewProblem({ Status: error.Status, Detail: error.message });
  problem.cause = error;
  return problem;
}

function otherType(wanted: string): HTTPError {
  return new HTTPError(415, `Cannot read the request body: its content type does not match ${wanted}`, {
    Code: "FW_BODY",
  });
}

function unreadable(kind: InputKind): unknown {
  return NewProblem({ Status: 400, Detail: `Cannot read the ${kind.toLowerCase()}: the request has none` });
}

/** Creates an object without a prototype, so that a name such as `__proto__` has no special meaning. */
function record<T extends FormInput>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  const values: Record<string, T> = Object.create(null);
  for (const [name, value] of entries) values[name] = value;
  return values;
}
