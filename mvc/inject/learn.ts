/**
 * Learns what a dependency asks for, where the check of the graph did not come upon it: behind a default value that could
 * not be recognised, or behind a body.
 *
 * @module
 */

import { isClass } from "../reflect/class.ts";
import { originalOf, parametersOf } from "../reflect/function_signature.ts";
import { type Binding, type Need, noNeeds } from "./binding.ts";
import { type Asked, probeConstructor, probeDefaults } from "./probe.ts";
import { labelOf } from "./token.ts";

/**
 * Learns what a dependency asks for; what is registered for that is found when it is asked for.
 *
 * @param binding The dependency.
 */
export function learnNeeds(binding: Binding): void {
  const { source } = binding;
  if (isClass(source)) {
    binding.learn({ ...noNeeds, ahead: probeConstructor(source).asked.map((each) => toNeed(binding, each)) });
  } else if (source !== undefined) {
    const { ahead, behind, patience } = probeDefaults(originalOf(source), parametersOf(source) ?? [], labelOf(source));
    const [first, rest] = [ahead, behind].map((asked) => asked.map((each) => toNeed(binding, each)));
    binding.learn({ ahead: first ?? [], behind: rest ?? [], patience });
  }
}

function toNeed({ home }: Binding, { token, argument }: Asked): Need {
  home.declare(token);
  return { token, binding: undefined, argument };
}
