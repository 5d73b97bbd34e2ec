/**
 * Learns what a dependency asks for, where the check of the graph did not come upon it: behind a default value that could
 * not be recognised, or behind a body.
 *
 * @module
 */

import { isClass } from "../reflect/class.ts";
import { originalOf, parametersOf } from "../reflect/function_signature.ts";
import { type Binding, type Need, type Needs, noNeeds } from "./binding.ts";
import { type Asked, probeConstructor, probeDefaults } from "./probe.ts";
import { labelOf } from "./token.ts";

/**
 * Learns what a dependency asks for; what is registered for that is found when it is asked for.
 *
 * @param binding The dependency.
 */
export function learnNeeds(binding: Binding): void {
  binding.isChecked = true;
  const { source } = binding;
  if (isClass(source)) {
    binding.needs = { ...noNeeds, ahead: probeConstructor(source).asked.map(toNeed) };
  } else if (source !== undefined) {
    const { ahead, behind, patience } = probeDefaults(originalOf(source), parametersOf(source) ?? [], labelOf(source));
    binding.needs = { ahead: ahead.map(toNeed), behind: behind.map(toNeed), patience } satisfies Needs;
  }
}

function toNeed({ token, argument }: Asked): Need {
  return { token, binding: undefined, argument };
}
