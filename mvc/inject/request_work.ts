/**
 * HTTP requests as units of work.
 *
 * @module
 */

import { Route } from "../../src/core/app/record/route.ts";
import type { Context } from "../../src/core/context/context.ts";
import { readInput, readInputNow } from "../../src/core/context/format/lazy_reader.ts";
import { afterUse } from "../../src/core/exchange/ending/end_tasks.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { trail } from "../../src/core/exchange/peer/outer_call.ts";
import { reportFailure } from "../../src/core/exchange/report_failure.ts";
import type { InputToken } from "../reflect/token.ts";
import type { Work } from "./work.ts";

/** An HTTP request as a unit of work. */
export class RequestWork implements Work {
  readonly #exchange: Exchange<Context>;

  constructor(exchange: Exchange<Context>) {
    this.#exchange = exchange;
  }

  get context(): Context {
    return this.#exchange.context;
  }

  get isStopped(): boolean {
    return this.#exchange.chain.stopped;
  }

  read(input: InputToken): unknown {
    const { info } = this.#exchange.route;
    return readInput(this.#exchange, input, info instanceof Route ? info.Inputs : []);
  }

  readNow(input: InputToken): unknown {
    return input.isLate ? Promise.resolve() : readInputNow(this.#exchange, input);
  }

  onEnd(task: () => void | Promise<void>): void {
    afterUse(this.#exchange, task);
  }

  trail(promise: Promise<void>): void {
    trail(this.#exchange.target, promise);
  }

  report(act: string, error: unknown): void {
    reportFailure(this.#exchange, error, act);
  }
}
