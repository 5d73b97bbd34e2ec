/**
 * The rules for forms that are shown again: their language, their secrets, and warnings for developers.
 *
 * @module
 */

import type { FormRules } from "../../accessors/form_check.ts";
import { type FormOptions, readFormOptions } from "../../accessors/form_options.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { ownInputs } from "../../exchange/own_inputs.ts";
import { issueTranslator } from "./issue_messages.ts";

/** Returns the rules for a form of a request. */
export function formRules<C>(exchange: Exchange<C>, options: FormOptions | undefined): FormRules {
  if (options !== undefined) readFormOptions(options);
  const { route: { info }, runtime: { development } } = exchange;
  const onDrop = development === undefined || info === undefined
    ? undefined
    : (name: string) => development.warnOfSecret(info, name);
  return { translate: issueTranslator(exchange), options, onDrop, own: ownInputs(exchange, "form") };
}
