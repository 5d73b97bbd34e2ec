/**
 * Typed input: parts of the request that a schema checks, as default values of arguments.
 *
 * @module
 */

import { check, formInput, queryInput, type StandardSchema } from "../../src/input/schema.ts";
import type { From } from "../reflect/input_type.ts";
import { ask, recognise } from "./inject.ts";
import type { InputKind } from "../../src/app/route_description.ts";
import { FrameworkError, HTTPError, isDescribing, NewProblem, type Result } from "../../src/base/errors.ts";
import { isThenable } from "../../src/base/promises.ts";
import { NamedToken } from "../reflect/token.ts";
import { isForm, isJSON } from "../../src/body/body_head.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import { bodyOf, queryOf } from "../../src/context/exchange.ts";

/** What a schema gives. */
export type InputOutput<S extends StandardSchema> = S extends StandardSchema<infer Output> ? Output : never;

/** What a client sends for a schema to accept it. */
export type InputSent<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/**
 * The JSON body of the request, checked by a schema: the default value of an argument of a controller's method, or of a
 * function on `party.ConfigureContainer()`. Nothing has to be registered.
 *
 * A body that cannot be read fails with status 400, one of another content type with 415, and one that does not fit with
 * 422, each as problem details; `errors` holds a JSON pointer and a message for each place.
 *
 * Over a connection only the value is kept of the body. What needs its bytes too, to check a signature for example, reads
 * them before: middleware or a dependency that is written before this one, with `ctx.GetBody()`.
 *
 * @example An input checked by zod
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 * import { z } from "npm:zod@^4";
 *
 * const newUser = z.object({ name: z.string().min(1), age: z.number().int().default(18) });
 * class UserController {
 *   Post(user = mvc.Body(newUser)) {
 *     return mvc.Tuple({ id: 1, ...user }, 201);
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/users")).Handle(UserController);
 *
 * async function post(body: unknown) {
 *   const headers = { "content-type": "application/json" };
 *   const request = new Request("http://localhost/users", { method: "POST", body: JSON.stringify(body), headers });
 *   return await (await app.fetch(request)).json();
 * }
 * await post({ name: "Ada" }); // → { id: 1, name: "Ada", age: 18 }
 * (await post({ name: "" })).errors[0].pointer; // → "#/name"
 * ```
 *
 * @param schema A schema of any library that implements Standard Schema. It is read once, when the controller is served,
 * so it cannot depend on other arguments.
 * @returns What the schema gives.
 */
export function Body<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Body", InputSent<S>> {
  return ask(inputToken("Body", schema)) as InputOutput<S> & From<"Body", InputSent<S>>;
}

/**
 * The query of the request, checked by a schema: the default value of an argument, as {@linkcode Body} is. Values are
 * texts; a name that comes several times, or ends in `[]`, is a list.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Query<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Query", InputSent<S>> {
  return ask(inputToken("Query", schema)) as InputOutput<S> & From<"Query", InputSent<S>>;
}

/**
 * The form in the body of the request, urlencoded or multipart, checked by a schema: the default value of an argument, as
 * {@linkcode Body} is. Values are texts and files; a name that comes several times, or ends in `[]`, is a list. What files
 * hold beyond the memory limit lies in temporary files, which are gone when the request ends.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Form<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Form", InputSent<S>> {
  return ask(inputToken("Form", schema)) as InputOutput<S> & From<"Form", InputSent<S>>;
}

/**
 * The headers of the request, checked by a schema: the default value of an argument, as {@linkcode Body} is. Names are in
 * small letters, values are texts.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Header<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Header", InputSent<S>> {
  return ask(inputToken("Header", schema)) as InputOutput<S> & From<"Header", InputSent<S>>;
}

/**
 * The path parameters of the request by name, checked by a schema: the default value of an argument, as
 * {@linkcode Body} is. Values are texts.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Params<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Params", InputSent<S>> {
  return ask(inputToken("Params", schema)) as InputOutput<S> & From<"Params", InputSent<S>>;
}

/** A part of the request. */
export class RawInput extends NamedToken {
  readonly kind: InputKind;

  constructor(kind: InputKind) {
    super(`mvc.${kind}`);
    this.kind = kind;
  }
}

/** A part of the request with its schema. */
export class InputToken extends RawInput {
  readonly schema: StandardSchema;

  constructor(kind: InputKind, schema: StandardSchema) {
    super(kind);
    this.schema = schema;
  }
}

const tokens: Readonly<Record<InputKind, WeakMap<StandardSchema, InputToken>>> = {
  Body: new WeakMap(),
  Query: new WeakMap(),
  Form: new WeakMap(),
  Header: new WeakMap(),
  Params: new WeakMap(),
};

/**
 * The token of a part of the request and a schema: one and the same for each schema.
 *
 * @param kind The part.
 * @param schema The schema.
 */
function inputToken(kind: InputKind, schema: StandardSchema): InputToken {
  if (typeof schema?.["~standard"]?.validate !== "function") {
    throw new FrameworkError("FW_DEPENDENCY", `Cannot check "mvc.${kind}": its argument is not a Standard Schema`);
  }
  let token = tokens[kind].get(schema);
  if (token === undefined) tokens[kind].set(schema, token = new InputToken(kind, schema));
  return token;
}

/**
 * Checks a part of the request that was read, by a schema that is only known now.
 *
 * @param token The schema.
 * @param input What was read.
 */
export function checkNow({ kind, schema }: InputToken, input: unknown): unknown {
  const checked = check(input, schema);
  if (isThenable(checked)) {
    checked.then(ignore, ignore);
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot check "mvc.${kind}" here: its schema takes time; write it as the default value of an argument, as in ` +
        `input = mvc.${kind}(schema)`,
    );
  }
  const [value, error] = checked;
  if (error !== null) throw error;
  return value;
}

/** Where each kind of input is read; what waits for the body gives a promise, or throws. */
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
export function readChecked(ctx: Context, token: InputToken): unknown {
  if (lateKinds.has(token.kind)) return readCheckedLater(ctx, token);
  const checked = check(readers[token.kind](ctx), token.schema);
  return isThenable(checked) ? checked.then(valueOf) : valueOf(checked);
}

/** Written as one function, and awaiting the schema only where it takes time: each promise between costs the request. */
async function readCheckedLater(ctx: Context, { kind, schema }: InputToken): Promise<unknown> {
  let input: unknown;
  try {
    input = await readers[kind](ctx);
  } catch (error) {
    throw toProblem(error);
  }
  const checked = check(input, schema);
  const [value, error] = isThenable(checked) ? await checked : checked;
  if (error !== null) throw input === undefined ? unreadable(kind) : error;
  return value;
}

/**
 * Reads an input without a check.
 *
 * @param ctx The request.
 * @param kind The part of it.
 * @returns What was read; a promise if that takes time.
 */
export function readRaw(ctx: Context, kind: InputKind): unknown {
  return lateKinds.has(kind) ? readRawLater(ctx, kind) : readers[kind](ctx);
}

async function readRawLater(ctx: Context, kind: InputKind): Promise<unknown> {
  try {
    return await readers[kind](ctx);
  } catch (error) {
    throw toProblem(error);
  }
}

function valueOf([value, error]: Result<unknown>): unknown {
  if (error !== null) throw error;
  return value;
}

/** The body as JSON; `undefined` where there is none, which a schema may allow. */
function readBody(ctx: Context): Promise<unknown> {
  const exchange = exchangeOf(ctx);
  const type = exchange.request.headers.get("content-type");
  if (type === null) return readNoBody(ctx);
  if (!isJSON(type)) throw otherType("JSON");
  return bodyOf(exchange).jsonOnly();
}

async function readNoBody(ctx: Context): Promise<undefined> {
  if (!await isEmpty(ctx)) throw otherType("JSON");
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

function ignore(): void {}

recognise(Body, "Body", "schema");
recognise(Query, "Query", "schema");
recognise(Form, "Form", "schema");
recognise(Header, "Header", "schema");
recognise(Params, "Params", "schema");
