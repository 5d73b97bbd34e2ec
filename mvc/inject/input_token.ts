/**
 * The tokens of typed inputs.
 *
 * @module
 */

import type { InputKind } from "../../src/app/record/route_description.ts";
import { FrameworkError } from "../../src/errors/errors.ts";
import type { StandardSchema } from "../../src/accessors/schema.ts";
import { NamedToken } from "../reflect/token.ts";

/** A part of the request with its schema. */
export class InputToken extends NamedToken {
  readonly kind: InputKind;
  readonly schema: StandardSchema;
  /** True if the value is the outcome of validation, so that the method runs whether or not the input matches. */
  readonly isOutcome: boolean;

  constructor(kind: InputKind, schema: StandardSchema, isOutcome = false) {
    super(isOutcome ? `mvc.${kind}Result` : `mvc.${kind}`);
    this.kind = kind;
    this.schema = schema;
    this.isOutcome = isOutcome;
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
 * Returns the token for a part of the request and a schema. Each schema has one token.
 *
 * @param kind The part of the request.
 * @param schema The schema.
 */
export function inputToken(kind: InputKind, schema: StandardSchema): InputToken {
  assertSchema(schema, kind);
  let token = tokens[kind].get(schema);
  if (token === undefined) tokens[kind].set(schema, token = new InputToken(kind, schema));
  return token;
}

const results = new WeakMap<StandardSchema, InputToken>();

/**
 * Returns the token for a form result. Each schema has one token.
 *
 * @param schema The schema.
 */
export function formResultToken(schema: StandardSchema): InputToken {
  assertSchema(schema, "FormResult");
  let token = results.get(schema);
  if (token === undefined) results.set(schema, token = new InputToken("Form", schema, true));
  return token;
}

function assertSchema(schema: StandardSchema, name: string): void {
  if (typeof schema?.["~standard"]?.validate === "function") return;
  throw new FrameworkError("FW_DEPENDENCY", `Cannot use "mvc.${name}": its argument is not a Standard Schema`);
}
