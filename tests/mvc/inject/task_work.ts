// A unit of work that is not a request, like a job or an event.

import { Container } from "../../../mvc/inject/container.ts";
import type { InputToken } from "../../../mvc/reflect/token.ts";
import { Lifetimes } from "../../../mvc/inject/lifetimes.ts";
import type { Work } from "../../../mvc/inject/work.ts";
import type { Context } from "../../../src/core/context/context.ts";

/** A task whose inputs are the members of an object. */
export class TaskWork implements Work {
  readonly context: Context | undefined = undefined;
  isStopped = false;
  readonly reports: string[] = [];
  readonly #data: Readonly<Record<string, unknown>>;
  readonly #tasks: (() => void | Promise<void>)[] = [];

  constructor(data: Readonly<Record<string, unknown>> = {}) {
    this.#data = data;
  }

  read(input: InputToken): unknown {
    const validated = input.schema["~standard"].validate(this.#data[input.kind]);
    if (validated instanceof Promise) return validated;
    if (validated.issues !== undefined) throw new Error("invalid");
    return validated.value;
  }

  readNow(input: InputToken): unknown {
    return this.read(input);
  }

  onEnd(task: () => void | Promise<void>): void {
    this.#tasks.push(task);
  }

  report(act: string, error: unknown): void {
    this.reports.push(`${act}: ${error}`);
  }

  /** Ends the work. */
  async end(): Promise<void> {
    for (const task of this.#tasks) await task();
  }
}

/** Creates a container with dependencies. */
export function containerOf(...dependencies: readonly unknown[]): Container {
  const container = new Container("test", new Lifetimes());
  container.add(...dependencies);
  return container;
}
