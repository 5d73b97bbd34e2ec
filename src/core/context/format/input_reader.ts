/**
 * Reads typed inputs, such as `mvc.Body(schema)`, and validates them with their schemas.
 *
 * @module
 */

import { headerInput, withBigints, withLists } from "../../accessors/fit_input.ts";
import { formInput, queryInput } from "../../accessors/form_input.ts";
import { checkForm } from "../../accessors/form_check.ts";
import type { FormOptions } from "../../accessors/form_options.ts";
import { keptValues } from "../../accessors/kept_values.ts";
import { check, type StandardSchema } from "../../accessors/schema.ts";
import { shapeOf, takesBigint } from "../../accessors/schema_shape.ts";
import type { SchemaShape } from "../../accessors/input_shapes.ts";
import { typedInput } from "../../accessors/text_input.ts";
import { type InputPlace, keepValues, ValidationError } from "../../accessors/validation_error.ts";
import { isThenable } from "../../../base/async/thenable.ts";
import { readerOf } from "../../../http/body/body.ts";
import { isJSON } from "../../../http/body/source/body_type.ts";
import { wrongType } from "../../../http/body/source/expected_type.ts";
import { HTTPError } from "../../../base/errors/errors.ts";
import { isDescribing, NewProblem } from "../../../http/headers/problem.ts";
import { bodyOf, type Exchange, paramsOf, queryOf } from "../../exchange/exchange.ts";
import { ownInputs } from "../../exchange/own_inputs.ts";
import { formRules } from "./form_rules.ts";
import { inLanguage } from "./issue_messages.ts";

/** The source of a route input. */
export type InputKind = "Body" | "Query" | "Form" | "Header" | "Params";

/** A part of the request, and the schema that validates it. */
export interface TypedInput {
  readonly kind: InputKind;
  readonly schema: StandardSchema;
  /** Whether the input waits for the request body. */
  readonly isLate: boolean;
  /** Whether the value is a validation result. If so, invalid input is not an error. */
  readonly isOutcome: boolean;
  /** The options of a form that is shown again. */
  readonly formOptions?: FormOptions | undefined;
}

/** An input of the same route. */
export interface RouteInput {
  readonly Kind: InputKind;
  readonly Schema: unknown;
}

/** The location of each kind of input, as reported to clients. */
const places: Readonly<Record<InputKind, InputPlace>> = {
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
  Query: (exchange, shape) => withLists(queryInput(queryOf(exchange)), shape, ownInputs(exchange, "query")),
  Header: ({ request }, shape) => headerInput(request.headers, shape),
  // Without a prototype, so that a name such as `__proto__` has no special meaning.
  Params: (exchange) => Object.assign(Object.create(null), Object.fromEntries(paramsOf(exchange).Entries())),
};

/**
 * Reads and validates an input. If it is not valid, the other inputs of the route are validated too, so that the client
 * receives all errors in one response.
 *
 * @param exchange The request.
 * @param input The input.
 * @param inputs All inputs of the route.
 * @returns The output of the schema, or a promise if reading or validating is asynchronous.
 */
export function readInput<C>(exchange: Exchange<C>, input: TypedInput, inputs: readonly RouteInput[]): unknown {
  const fail = (error: Error): Promise<never> => {
    inLanguage(exchange, error);
    if (!(error instanceof ValidationError) || inputs.every((each) => isSame(each, input))) throw error;
    return failWithAll(exchange, input, error, inputs);
  };
  if (input.isLate) return readLate(exchange, input, fail);
  const checked = checkNow(exchange, input);
  if (isThenable(checked)) return checked.then(([value, error]) => error === null ? value : fail(error));
  return checked[1] === null ? checked[0] : fail(checked[1]);
}

/**
 * Reads and validates an input that does not wait for the body, without validating the other inputs of the route.
 *
 * @param exchange The request.
 * @param input The input.
 * @returns The output of the schema, or a promise if validating is asynchronous.
 */
export function readInputNow<C>(exchange: Exchange<C>, input: TypedInput): unknown {
  const checked = checkNow(exchange, input);
  if (isThenable(checked)) return checked;
  if (checked[1] !== null) throw inLanguage(exchange, checked[1]);
  return checked[0];
}

function checkNow<C>(exchange: Exchange<C>, { kind, schema }: TypedInput): ReturnType<typeof check> {
  return checkSent(readers[kind](exchange, shapeOf(schema)), kind, schema);
}

/** Validates an input. All inputs except for the body are strings, which are converted to the types in the schema. */
function checkSent(sent: unknown, kind: InputKind, schema: StandardSchema): ReturnType<typeof check> {
  const place = places[kind];
  return check(kind === "Body" ? sent : typedInput(sent, shapeOf(schema), place), schema, place);
}

/** Reads an input that waits for the body. Awaits the schema only if needed, because each promise costs time. */
async function readLate<C>(
  exchange: Exchange<C>,
  { kind, schema, isOutcome, formOptions }: TypedInput,
  fail: (error: Error) => Promise<never>,
): Promise<unknown> {
  let sent: unknown;
  try {
    sent = await readers[kind](exchange, shapeOf(schema));
  } catch (error) {
    throw toProblem(error);
  }
  if (isOutcome) return checkForm(sent, schema, formRules(exchange, formOptions));
  const [value, error] = await checkSent(sent, kind, schema);
  if (error === null) return value;
  if (sent === undefined) {
    throw NewProblem({ Status: 400, Detail: `Cannot read the ${kind.toLowerCase()}: the request has none` });
  }
  if (kind === "Form" && error instanceof ValidationError) {
    keepValues(error, keptValues(sent, formRules(exchange, formOptions)));
  }
  return fail(error);
}

/** Fails with the errors of an input and of all other inputs of its route. */
async function failWithAll<C>(
  exchange: Exchange<C>,
  input: TypedInput,
  error: ValidationError,
  inputs: readonly RouteInput[],
): Promise<never> {
  const issues = [];
  for (const each of inputs) issues.push(...isSame(each, input) ? error.Issues : await issuesOf(exchange, each));
  const failure = new ValidationError(issues);
  keepValues(failure, error.Values);
  throw inLanguage(exchange, failure);
}

function isSame({ Kind, Schema }: RouteInput, { kind, schema }: TypedInput): boolean {
  return Kind === kind && Schema === schema;
}

/** Returns the errors of another input. Inputs that cannot be read are ignored. */
async function issuesOf<C>(exchange: Exchange<C>, { Kind, Schema }: RouteInput): Promise<ValidationError["Issues"]> {
  const schema = Schema as StandardSchema;
  try {
    const [, error] = await checkSent(await readers[Kind](exchange, shapeOf(schema)), Kind, schema);
    return error instanceof ValidationError ? error.Issues : [];
  } catch {
    return [];
  }
}

/** Reads the body as JSON. Returns `undefined` if there is no body, which a schema may allow. */
async function readBody<C>(exchange: Exchange<C>, shape: SchemaShape): Promise<unknown> {
  const type = exchange.request.headers.get("content-type");
  if (type === null && await isEmpty(exchange)) return undefined;
  if (type === null || !isJSON(type)) throw wrongType("JSON");
  return takesBigint(shape)
    ? withBigints(await readerOf(bodyOf(exchange)).losslessJSON(), shape)
    : await readerOf(bodyOf(exchange)).jsonOnly();
}

/** Reads the fields and files of the form. The result is empty if there is no body. */
async function readForm<C>(exchange: Exchange<C>, shape: SchemaShape): Promise<unknown> {
  return withLists(await formInput(readerOf(bodyOf(exchange))), shape, ownInputs(exchange, "form"));
}

/**
 * Reports whether the body is empty. Over a connection, every request except GET and HEAD has a body stream, and only
 * reading it shows whether it is empty.
 */
async function isEmpty<C>(exchange: Exchange<C>): Promise<boolean> {
  return exchange.request.body === null || (await bodyOf(exchange).bytes()).length === 0;
}

/** Converts a read error to problem details, like all other input errors. */
function toProblem(error: unknown): unknown {
  if (!(error instanceof HTTPError) || isDescribing(error)) return error;
  const problem = NewProblem({ Status: error.Status, Detail: error.message });
  problem.cause = error;
  return problem;
}
