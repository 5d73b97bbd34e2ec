/**
 * HTTP requests as units of work, with their typed inputs.
 *
 * @module
 */

import { Route } from "../../src/app/record/route.ts";
import type { RouteInput } from "../../src/app/record/route_description.ts";
import { isThenable } from "../../src/async/thenable.ts";
import type { Context } from "../../src/context/context.ts";
import { inputPlaces, readInput, toProblem } from "../../src/context/format/input_reader.ts";
import { NewProblem } from "../../src/errors/problem.ts";
import { afterResponse } from "../../src/exchange/ending/end_tasks.ts";
import type { Exchange } from "../../src/exchange/exchange.ts";
import { reportFailure } from "../../src/exchange/report_failure.ts";
import { checkForm } from "../../src/accessors/form_result.ts";
import { keptValues } from "../../src/accessors/kept_values.ts";
import { check, type StandardSchema } from "../../src/accessors/schema.ts";
import { keepValues, ValidationError } from "../../src/accessors/validation_error.ts";
import type { InputToken } from "../reflect/token.ts";
import type { Work } from "./work.ts";

/** An HTTP request as a unit of work. */
export class RequestWork implements Work {
  readonly #exchange: Exchange<Context>;
  readonly context: Context;

  constructor(exchange: Exchange<Context>) {
    this.#exchange = exchange;
    this.context = exchange.context;
  }

  get isStopped(): boolean {
    return this.#exchange.chain.stopped;
  }

  /**
   * Reads and validates an input. If it is not valid, the other inputs of the route are validated too, so that the
   * client learns about all errors at once.
   */
  read(input: InputToken): unknown {
    if (input.isLate) return this.#readLate(input);
    const checked = checkNow(this.#exchange, input);
    if (isThenable(checked)) return checked.then(([value, error]) => error === null ? value : this.#fail(input, error));
    return checked[1] === null ? checked[0] : this.#fail(input, checked[1]);
  }

  readNow(input: InputToken): unknown {
    if (input.isLate) return Promise.resolve();
    const checked = checkNow(this.#exchange, input);
    if (isThenable(checked)) return checked;
    if (checked[1] !== null) throw checked[1];
    return checked[0];
  }

  onEnd(task: () => void | Promise<void>): void {
    afterResponse(this.#exchange, task);
  }

  report(act: string, error: unknown): void {
    reportFailure(this.#exchange, error, act);
  }

  /** Reads an input that waits for the body. Awaits the schema only if needed, because each promise costs time. */
  async #readLate(input: InputToken): Promise<unknown> {
    const { kind, schema } = input;
    let sent: unknown;
    try {
      sent = await readInput(this.#exchange, kind, schema);
    } catch (error) {
      throw toProblem(error);
    }
    if (input.isOutcome) return checkForm(sent, schema);
    const checked = check(sent, schema, inputPlaces[kind]);
    const [value, error] = isThenable(checked) ? await checked : checked;
    if (error === null) return value;
    if (sent === undefined) {
      throw NewProblem({ Status: 400, Detail: `Cannot read the ${kind.toLowerCase()}: the request has none` });
    }
    if (kind === "Form" && error instanceof ValidationError) keepValues(error, keptValues(sent));
    return this.#fail(input, error);
  }

  /** Fails with the errors of an input and of all other inputs of its route, or immediately if there are no others. */
  #fail(input: InputToken, error: Error): Promise<never> {
    const { info } = this.#exchange.route;
    const inputs = info instanceof Route ? info.Inputs : [];
    if (!(error instanceof ValidationError) || inputs.every((each) => isSame(each, input))) throw error;
    return this.#failWithAll(inputs, input, error);
  }

  async #failWithAll(inputs: readonly RouteInput[], input: InputToken, error: ValidationError): Promise<never> {
    const issues = [];
    for (const each of inputs) issues.push(...isSame(each, input) ? error.Issues : await this.#issuesOf(each));
    const failure = new ValidationError(issues);
    keepValues(failure, error.Values);
    throw failure;
  }

  /** Returns the errors of another input. If it cannot be read at all, its own error follows when it is alone. */
  async #issuesOf({ Kind, Schema }: RouteInput): Promise<ValidationError["Issues"]> {
    const schema = Schema as StandardSchema;
    try {
      const [, error] = await check(await readInput(this.#exchange, Kind, schema), schema, inputPlaces[Kind]);
      return error instanceof ValidationError ? error.Issues : [];
    } catch {
      return [];
    }
  }
}

/** Validates an input that does not wait for the body. */
function checkNow(exchange: Exchange<Context>, { kind, schema }: InputToken): ReturnType<typeof check> {
  return check(readInput(exchange, kind, schema), schema, inputPlaces[kind]);
}

function isSame({ Kind, Schema }: RouteInput, { kind, schema }: InputToken): boolean {
  return Kind === kind && Schema === schema;
}
