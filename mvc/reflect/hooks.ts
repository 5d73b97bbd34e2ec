/**
 * The hooks of controllers, which are methods that fw calls although they are not routes. To add a hook, add its name
 * here and call it with `hookOf` from `controller.ts`.
 *
 * @module
 */

import type { Context } from "../../src/core/context/context.ts";

/** The names of the hooks. */
const hookNames = [
  "BeforeActivation",
  "AfterActivation",
  "BeginRequest",
  "EndRequest",
  "HandleError",
  "HandleHTTPError",
] as const;

/** The name of a hook. */
export type HookName = typeof hookNames[number];

/**
 * The arguments of the hooks whose parameters the compiler checks, and the words for them in its error messages.
 *
 * @internal
 */
export interface HookArguments {
  BeginRequest: { args: [ctx: Context]; words: "the Context" };
  EndRequest: { args: [ctx: Context]; words: "the Context" };
  HandleError: { args: [ctx: Context, error: Error]; words: "the Context and an Error, in this order" };
}

const names: ReadonlySet<string> = new Set(hookNames);

/** Reports whether a method of this name is a hook. */
export function isHook(name: string): boolean {
  return names.has(name);
}
