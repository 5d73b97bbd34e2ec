/**
 * The tokens of typed inputs.
 *
 * @module
 */

import { FrameworkError } from "../../src/errors/errors.ts";
import type { StandardSchema } from "../../src/accessors/schema.ts";
import type { InputKind } from "../../src/context/format/input_reader.ts";
import { NamedToken } from "../reflect/token.ts";

/** The functions in `mvc` that return typed inputs, by name. */
export type InputName = InputKind | "FormResult";

/** A part of the request with its schema. */
export class InputToken extends NamedToken {
  readonly kind: InputKind;
  readonly schema: StandardSchema;
  /** Whether the value is the outcome of validation, so that the method runs whether or not the input matches. */
  readonly isOutcome: boolean;
  /** Whether the input waits for the request body. */
  readonly isLate: boolean;

  constructor(name: InputName, schema: StandardSchema) {
    super(`mvc.${name}`);
    this.kind = name === "FormResult" ? "Form" : name;
    this.schema = schema;
    this.isOutcome = name === "FormResult";
    this.isLate = this.kind === "Body" || this.kind === "Form";
  }
}

const tokens = new WeakMap<StandardSchema, Map<InputName, InputToken>>();

/**
 * Returns the token for a part of the request and a schema. There is one for each pair.
 *
 * @param name The part of the request.
 * @param schema The schema.
 */
export function inputToken(name: InputName, schema: StandardSchema): InputToken {
  if (typeof schema?.["~standard"]?.validate !== "function") {
    throw new FrameworkError("FW_DEPENDENCY", `Cannot use "mvc.${name}": its argument is not a Standard Schema`);
  }
  let known = tokens.get(schema);
  if (known === undefined) tokens.set(schema, known = new Map());
  let token = known.get(name);
  if (token === undefined) known.set(name, token = new InputToken(name, schema));
  return token;
}
