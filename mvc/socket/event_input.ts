/**
 * Validates the data of an event. It is loaded together with the readers of request bodies.
 *
 * @module
 */

import { fitJSON } from "../../src/core/accessors/fit_input.ts";
import { checkValues } from "../../src/core/accessors/form_check.ts";
import { checkValid } from "../../src/core/accessors/schema.ts";
import type { ValidationIssue } from "../../src/core/accessors/validation_error.ts";
import type { Context } from "../../src/core/context/context.ts";
import { formRules } from "../../src/core/context/format/form_rules.ts";
import { issueMessage } from "../../src/core/context/format/issue_messages.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { InputToken } from "../reflect/token.ts";

/** Reads an input from the data of an event. */
export type EventInputReader = typeof readEventInput;

/** Validates the data of an event for an input. */
export function readEventInput(exchangeOf: () => Exchange<Context>, received: unknown, input: InputToken): unknown {
  const data = fitJSON(received, input.schema);
  if (!input.isOutcome) return checkValid(data, input.schema, "body");
  // Creating the context recreates the request, so it is not read before it is needed.
  const exchange = exchangeOf();
  const translate = (issue: ValidationIssue) => issueMessage(exchange, issue);
  return checkValues(data, input.schema, { ...formRules(exchange, input.formOptions), translate });
}
