/**
 * Translates the messages of schemas into the language of a request.
 *
 * @module
 */

import type { Result } from "../../../base/errors/errors.ts";
import {
  type TranslateIssue,
  translateWith,
  ValidationError,
  type ValidationIssue,
} from "../../accessors/validation_error.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { translateIfKnown } from "./language.ts";

/** Returns the message of an issue. If it is a translation key, it is translated. */
export function issueMessage<C>(exchange: Exchange<C>, { Message, Path, Pointer }: ValidationIssue): string {
  return translateIfKnown(exchange, Message, { field: String(Path.at(-1) ?? ""), pointer: Pointer });
}

/** Returns the error with its messages translated, if they are translation keys. */
export function withTranslations<C>(exchange: Exchange<C>, error: ValidationError): ValidationError {
  const messages = error.Issues.map((issue) => issueMessage(exchange, issue));
  // An error of a custom class is returned unchanged if it has no messages to translate.
  if (error.Issues.every(({ Message }, at) => Message === messages[at])) return error;
  return new ValidationError(error.Issues.map((issue, at) => ({ ...issue, Message: messages[at] ?? issue.Message })));
}

/** Returns the function that translates messages, or `undefined` if the application has no translations. */
export function issueTranslator<C>(exchange: Exchange<C>): TranslateIssue | undefined {
  return exchange.runtime.languages === undefined ? undefined : (issue) => issueMessage(exchange, issue);
}

/** Makes the messages of a validation error available in the language of the request. Returns the same error. */
export function inLanguage<C, E>(exchange: Exchange<C>, error: E): E {
  const translate = error instanceof ValidationError ? issueTranslator(exchange) : undefined;
  if (translate !== undefined) translateWith(error as ValidationError, translate);
  return error;
}

/** Makes the messages of an invalid input available in the language of the request. */
export function resultInLanguage<C, T>(exchange: Exchange<C>, reading: Promise<Result<T>>): Promise<Result<T>> {
  if (exchange.runtime.languages === undefined) return reading;
  return reading.then((result) => {
    inLanguage(exchange, result[1]);
    return result;
  });
}
