/**
 * Checks, when the application is built, that every dependency is there: those of controllers, those of their
 * dependencies, and so on.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { type Class, isClass } from "../reflect/class.ts";
import { originalOf, parametersOf } from "../reflect/function_signature.ts";
import { labelOf } from "../reflect/token.ts";
import { type Binding, type Need, Needs, noNeeds } from "./binding.ts";
import { Circle } from "./circle.ts";
import type { Container } from "./container.ts";
import { type Asked, type ConstructorProbe, type DefaultsProbe, probeConstructor, probeDefaults } from "./probe.ts";
import { decide, obtainShared } from "./shared_values.ts";

/** Something whose dependencies are checked: a controller, a method of one, a function. */
interface Checked {
  /** What it is called in error messages; the way to a dependency begins with it. */
  readonly owner: string;
  /** Where its dependencies are found. */
  readonly container: Container;
}

/** The way from what is checked down to a dependency. */
type Way = readonly Binding[];

/**
 * Checks what a constructor asks for.
 *
 * @param checked Whose constructor it is.
 * @param probe What a try of it told.
 */
export function constructorNeeds(checked: Checked, probe: ConstructorProbe): Needs {
  return new Needs(needsOf(checked, probe.asked, []));
}

/**
 * Checks what the default values of a function ask for.
 *
 * @param checked Whose function it is.
 * @param probe What a try of them told.
 * @param way The way down to the function, if it is a dependency.
 */
export function callNeeds(checked: Checked, { ahead, behind, patience }: DefaultsProbe, way: Way = []): Needs {
  return ahead.length + behind.length + patience === 0
    ? noNeeds
    : new Needs(needsOf(checked, ahead, way), needsOf(checked, behind, way), patience);
}

function needsOf(checked: Checked, asked: readonly Asked[], way: Way): Need[] {
  return asked.map((each) => ({
    token: each.token,
    binding: check(checked, each, way),
    argument: each.argument,
  }));
}

/** Finds what is asked for and checks it; `undefined` where only a dependency that takes time can tell. */
function check(checked: Checked, asked: Asked, way: Way): Binding | undefined {
  const binding = find(checked, asked, way);
  if (binding === undefined) return undefined;
  const asker = way.at(-1);
  if (binding.isPerRequest && asker !== undefined && !asker.isPerRequest) {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot create "${asker.label()}" for all requests: it asks for "${
        labelOf(asked.token)
      }", of which each has its ` +
        `own (${describeWay(checked, way, asked.token)})`,
    );
  }
  const at = way.indexOf(binding);
  if (at !== -1) throw new Circle(...way.slice(at), binding);
  if (!binding.isChecked) checkBinding(checked, binding, [...way, binding]);
  return binding;
}

function find(checked: Checked, asked: Asked, way: Way): Binding | undefined {
  // A dependency finds those that it asks for where it is registered.
  const container = (way.at(-1)?.home ?? checked.container) as Container;
  container.declare(asked.token);
  // Looked up and not only found: what a token stands for when the application is built, it stands for from then on.
  if (container.find(asked.token) !== undefined) return container.lookup(asked.token);
  if (isClass(asked.token)) {
    for (const binding of container.undecided()) {
      if (!way.includes(binding) && !binding.isChecked) checkBinding(checked, binding, [...way, binding]);
    }
    if (decide(container) !== undefined || container.undecided().length > 0) return container.find(asked.token);
  }
  return container.find(asked.token) ?? refuse(checked, asked, way, container);
}

/**
 * Checks what a dependency asks for, and creates it if all requests share it and nothing takes time.
 *
 * @param checked What needs it.
 * @param binding The dependency.
 * @param way The way down to it, itself included.
 */
export function checkBinding(checked: Checked, binding: Binding, way: Way = [binding]): void {
  const { source } = binding;
  if (isClass(source)) {
    binding.learn(classNeeds(checked, source, way));
  } else if (source !== undefined) {
    const probe = probeDefaults(originalOf(source), parametersOf(source) ?? [], labelOf(source));
    binding.learn(callNeeds(checked, probe, way));
  }
  binding.isChecked = true;
  // What only a dependency can tell that takes time takes time too.
  if (binding.needs.ahead.some((need) => need.binding === undefined)) binding.isAsync = true;
  if (!binding.isPerRequest && !binding.isAsync) create(checked, binding, way);
}

function classNeeds(checked: Checked, type: Class<object>, way: Way): Needs {
  const probe = probeConstructor(type);
  if (probe.failure !== undefined) throw creationError(checked, way, probe.failure.thrown);
  const asked = probe.asked.map((each) => ({ ...each, where: `${each.where} of "${type.name}"` }));
  return new Needs(needsOf(checked, asked, way));
}

/** Creates what all requests share, so that what is wrong with it is seen at the start; unless it takes time. */
function create(checked: Checked, binding: Binding, way: Way): void {
  try {
    obtainShared(binding);
  } catch (thrown) {
    throw thrown instanceof FrameworkError ? thrown : creationError(checked, way, thrown);
  }
}

function creationError(checked: Checked, way: Way, cause: unknown): FrameworkError {
  const label = way.at(-1)?.label() ?? checked.owner;
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create "${label}": it throws (${describeWay(checked, way)})`,
    { cause },
  );
}

function refuse(checked: Checked, asked: Asked, way: Way, container: Container): never {
  throw new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot serve "${checked.owner}": ${asked.where} needs the dependency "${
      labelOf(asked.token)
    }", which is missing ` +
      `(${describeWay(checked, way, asked.token)}); ${container.describe()}`,
  );
}

function describeWay(checked: Checked, way: Way, token?: unknown): string {
  const labels = [checked.owner, ...way.map((each) => each.label())];
  return (token === undefined ? labels : [...labels, labelOf(token)]).join(" → ");
}

/**
 * Lists what is asked for, each with what it asks for itself below it.
 *
 * @param needs What is asked for.
 * @param indent What the lines begin with.
 * @returns The lines, as in `UserService (shared)` and `  Database (shared)`.
 */
export function treeOf(needs: readonly Needs[], indent = ""): string[] {
  return needs.flatMap(({ ahead, behind }) => [...ahead, ...behind]).flatMap(({ token, binding }) => {
    if (binding === undefined) return [`${indent}${labelOf(token)}`];
    const lifetime = binding.isScoped ? "scoped" : binding.isPerRequest ? "per request" : "shared";
    return [`${indent}${labelOf(token)} (${lifetime})`, ...treeOf([binding.needs], `${indent}  `)];
  });
}
