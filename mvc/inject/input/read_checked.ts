/**
 * Reads a part of the request and has a schema check it.
 *
 * @module
 */

import type { InputKind } from "../../../src/app/route_description.ts";
import { HTTPError, type Result } from "../../../src/base/errors.ts";
import { isDescribing, NewProblem } from "../../../src/base/problem.ts";
import { isThenable } from "../../../src/base/thenable.ts";
import { isForm, isJSON } from "../../../src/body/form_type.ts";
import { type Context, exchangeOf } from "../../../src/context/context.ts";
import { bodyOf, queryOf } from "../../../src/context/exchange.ts";
import { formInput, queryInput } from "../../../src/input/read_input.ts";
import { check } from "../../../src/input/schema.ts";
import type { InputToken } from "./input_token.ts";

/** Where each kind of input is read, at once or later. */
const readers: Readonly<Record<InputKind, (ctx: Context) => unknown>> = {
  Body: readBody,
  Form: readForm,
  Query: (ctx) => queryInput(queryOf(exchangeOf(ctx))),
  Header: (ctx) => record(ctx.Request().headers),
  Params: (ctx) => record(ctx.Params().Entries()),
};

/** The kinds that wait for the body. */
export const lateKinds: ReadonlySet<InputKind> = new Set(["Body", "Form"]);

/**
 * Reads and checks an input.
 *
 * @param ctx The request.
 * @param token The part of it, and the schema.
 * @returns What the schema gives; a promise if reading or checking takes time.
 */
export function readChecked(ctx: Context, { kind, schema }: InputToken): unknown {
  const input = readers[kind](ctx);
  if (isThenable(input)) return readLater(input, kind, schema);
  const checked = check(input, schema);
  return isThenable(checked) ? checked.then(valueOf) : valueOf(checked);
}

/**
 * Reads an input without a check.
 *
 * @param ctx The request.
 * @param kind The part of it.
 * @returns What was read; a promise if that takes time.
 */
export function readRaw(ctx: Context, kind: InputKind): unknown {
  const input = readers[kind](ctx);
  return isThenable(input) ? orProblem(input) : input;
}

async function orProblem(input: Promise<unknown>): Promise<unknown> {
  try {
    return await input;
  } catch (error) {
    throw toProblem(error);
  }
}

async function readLater(input: Promise<unknown>, kind: InputKind, schema: InputToken["schema"]): Promise<unknown> {
  const value = await orProblem(input);
  const checked = await check(value, schema);
  if (value === undefined && checked[1] !== null) throw unreadable(kind);
  return valueOf(checked);
}

function valueOf([value, error]: Result<unknown>): unknown {
  if (error !== null) throw error;
  return value;
}

/** The body as JSON; `undefined` where there is none, which a schema may allow. */
async function readBody(ctx: Context): Promise<unknown> {
  const type = exchangeOf(ctx).request.headers.get("content-type");
  if (type === null && await isEmpty(ctx)) return undefined;
  if (type === null || !isJSON(type)) throw otherType("JSON");
  return await bodyOf(exchangeOf(ctx)).json();
}

/** The fields and files of the form; none where there is no body. */
async function readForm(ctx: Context): Promise<unknown> {
  const type = exchangeOf(ctx).request.headers.get("content-type");
  if (type === null ? !await isEmpty(ctx) : !isForm(type)) throw otherType("a form");
  return await formInput(bodyOf(exchangeOf(ctx)));
}

/** Over a connection every request but GET and HEAD has a stream for a body, and only reading tells that it is empty. */
async function isEmpty(ctx: Context): Promise<boolean> {
  return exchangeOf(ctx).request.body === null || (await bodyOf(exchangeOf(ctx)).bytes()).length === 0;
}

/** What fails while it is read is told as the rest is: as problem details. */
function toProblem(error: unknown): unknown {
  if (!(error instanceof HTTPError) || isDescribing(error)) return error;
  const problem = NewProblem({ Status: error.Status, Detail: error.message });
  problem.cause = error;
  return problem;
}

function otherType(wanted: string): HTTPError {
  return new HTTPError(415, `Cannot read the request body: its content type is not that of ${wanted}`, {
    Code: "FW_BODY",
  });
}

function unreadable(kind: InputKind): unknown {
  return NewProblem({ Status: 400, Detail: `Cannot read the ${kind.toLowerCase()}: the request has none` });
}

/** An object without a prototype, so that a name like `__proto__` is only a name. */
function record(entries: Iterable<readonly [string, string]>): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of entries) values[name] = value;
  return values;
}
