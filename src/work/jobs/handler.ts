/**
 * Calls jobs with their dependencies.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import type { Parameter } from "../../base/signature/parameter_list.ts";
import { parametersOf } from "../../base/signature/signature.ts";
import { type Ask, type Asker, type Home, noAsks, noSteps, type Step } from "../../../mvc/inject/binding.ts";
import { Call, invoke } from "../../../mvc/inject/call.ts";
import { checkAsks } from "../../../mvc/inject/check.ts";
import { Container } from "../../../mvc/inject/container.ts";
import { bindingOf, planOf } from "../../../mvc/inject/plan.ts";
import { probeConstructor } from "../../../mvc/inject/probe.ts";
import { Scope } from "../../../mvc/inject/scope.ts";
import type { Work } from "../../../mvc/inject/work.ts";
import type { Method } from "../../../mvc/reflect/controller.ts";
import { isClass } from "../../../mvc/reflect/token.ts";
import type { Context } from "./context.ts";
import { decode, type Job, type JobClass, nameOf } from "./job.ts";

/** The sources of a job's arguments. */
type Received = readonly [data: unknown, ctx: Context];

/** A registered job. */
export class Handler implements Asker {
  readonly name: string;
  readonly job: Job;
  readonly home: Container;
  readonly asks: readonly Ask[];
  plan: readonly Step[] = noSteps;
  readonly #call: Call<Received>;
  readonly #type: JobClass | undefined;

  constructor(job: Job, container: Container) {
    this.name = nameOf(job);
    this.job = job;
    this.home = new Container(this.name, container);
    this.#type = isClass(job) ? job as JobClass : undefined;
    const method = this.#type === undefined ? job : this.#type.prototype.Run as unknown;
    if (typeof method !== "function") throw this.#refusal('its class has no method "Run"');
    const { asks = noAsks, failure = undefined } = this.#type === undefined ? {} : probeConstructor(this.#type);
    if (failure !== undefined) throw this.#refusal("its constructor throws", { cause: failure.thrown });
    this.asks = asks;
    // The parameters of a bound function are not known.
    const parameters = parametersOf(method as Method);
    const sources = [([data]: Received) => data, ([, ctx]: Received) => ctx].values();
    const readers = (parameters ?? [{}, {}] as Partial<Parameter>[]).map(({ fallback, form }) => {
      if (fallback?.kind === "call" || form === "rest") return () => undefined;
      const { value: source } = sources.next();
      if (source !== undefined) return source;
      const reason = "its parameters are the data, the context, and dependencies such as mailer = mvc.Inject(Mailer)";
      throw this.#refusal(reason);
    });
    const name = this.#type === undefined ? this.name : "Run";
    const parts = { container: this.home, owner: this.name, name, parameters: parameters ?? [], readers };
    this.#call = new Call(method as Method, parts);
  }

  label(): string {
    return this.name;
  }

  /** Checks that every dependency is registered and creates the plans. */
  check(): void {
    checkAsks(this.name, this);
    this.plan = planOf(this);
    this.#call.check();
    this.#assertNoContext([...this.asks, ...this.#call.asks], this.home);
  }

  /** Throws if a dependency, including transitive ones, needs a request. Plans do not contain transient ones. */
  #assertNoContext(asks: readonly Ask[], home: Home, above: ReadonlySet<unknown> = new Set()): void {
    for (const ask of asks) {
      const binding = bindingOf(ask, home);
      for (const each of binding === undefined ? home.undecided(ask.token) : [binding]) {
        if (each.takesContext || each.isInput) {
          const reason = `it depends on "${each.label()}", which needs the context of a request`;
          throw new FrameworkError("FW_DEPENDENCY", `Cannot run the job "${this.name}": ${reason}`);
        }
        if (!above.has(each)) this.#assertNoContext(each.asks, each.home, new Set([...above, each]));
      }
    }
  }

  /**
   * Runs a job.
   *
   * @param ctx The context.
   * @param text The data as JSON.
   * @param report Reports an error that would otherwise be lost.
   * @returns The return value.
   */
  async run(ctx: Context, text: string, report: Work["report"]): Promise<unknown> {
    const data = await decode(this.job, text);
    await using ends = new AsyncDisposableStack();
    const scope = new Scope(workOf(ends, report));
    await scope.prepare(this);
    const Type = this.#type;
    const self = Type === undefined ? {} : scope.run(this, () => new Type(), undefined, undefined) as object;
    return await invoke(scope, this.#call, self, this.#call.argumentsOf([data, ctx]));
  }

  #refusal(reason: string, options?: ErrorOptions): FrameworkError {
    return new FrameworkError("FW_JOB", `Cannot handle the job "${this.name}": ${reason}`, options);
  }
}

/** Returns a job as a unit of work. Its values are disposed of with the stack. They report their own failures. */
function workOf(ends: AsyncDisposableStack, report: Work["report"]): Work {
  const read = () => {
    throw new FrameworkError("FW_DEPENDENCY", "Cannot read an input in a job: it does not serve a request");
  };
  return { context: undefined, isStopped: false, read, readNow: read, onEnd: (task) => ends.defer(task), report };
}
