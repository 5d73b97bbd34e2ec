/**
 * What inputs are asked for by.
 *
 * @module
 */

import type { InputKind } from "../../src/app/route_description.ts";
import { FrameworkError } from "../../src/base/errors.ts";
import type { StandardSchema } from "../../src/input/schema.ts";
import { NamedToken } from "../reflect/token.ts";

/** A part of the request with its schema. */
export class InputToken extends NamedToken {
  readonly kind: InputKind;
  readonly schema: StandardSchema;

  constructor(kind: InputKind, schema: StandardSchema) {
    super(`mvc.${kind}`);
    this.kind = kind;
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
export function inputToken(kind: InputKind, schema: StandardSchema): InputToken {
  if (typeof schema?.["~standard"]?.validate !== "function") {
    throw new FrameworkError("FW_DEPENDENCY", `Cannot check "mvc.${kind}": its argument is not a Standard Schema`);
  }
  let token = tokens[kind].get(schema);
  if (token === undefined) tokens[kind].set(schema, token = new InputToken(kind, schema));
  return token;
}
