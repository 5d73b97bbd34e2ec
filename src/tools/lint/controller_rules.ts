/**
 * Lint rules for controllers. They find mistakes that are visible only in the source, because access modifiers,
 * optional parameters and types do not exist at run time, and the compiler does not know fw's naming conventions.
 *
 * @module
 */

import { parseMethodName } from "../../../mvc/reflect/method_parser.ts";

/** A method whose name defines a route. */
interface RouteMethod {
  readonly node: Deno.lint.MethodDefinition;
  readonly name: string;
  readonly bindsPath: boolean;
}

/** Creates a rule that checks every method routed by its name. */
function ruleOf(
  check: (method: RouteMethod, report: (node: Deno.lint.Node, message: string) => void) => void,
): Deno.lint.Rule {
  return {
    create(ctx) {
      return {
        MethodDefinition(node) {
          const method = routeMethod(node);
          if (method !== undefined) check(method, (at, message) => ctx.report({ node: at, message }));
        },
      };
    },
  };
}

/** Returns the method's route. Skips classes with `BeforeActivation`, which may register custom routes. */
function routeMethod(node: Deno.lint.MethodDefinition): RouteMethod | undefined {
  if (node.static || node.kind !== "method" || node.key.type !== "Identifier" || node.computed) return undefined;
  const { name } = node.key;
  const parsed = parseMethodName(name);
  if (parsed === undefined || node.parent.body.some(isBeforeActivation)) return undefined;
  return { node, name, bindsPath: parsed.parts.some((part) => part.kind !== "word") };
}

function isBeforeActivation(member: Deno.lint.ClassBody["body"][number]): boolean {
  return member.type === "MethodDefinition" && member.key.type === "Identifier" &&
    member.key.name === "BeforeActivation";
}

/** Disallows `private` and `protected` routes, because any client can call them. */
export const noHiddenRoute: Deno.lint.Rule = ruleOf(({ node, name }, report) => {
  if (node.accessibility !== "private" && node.accessibility !== "protected") return;
  report(
    node.key,
    `The method "${name}" is ${node.accessibility}, but clients can call it as a route: use a #private name`,
  );
});

/**
 * Disallows optional path arguments such as `id?: number`. Without a default value, the type is unknown at run time and
 * the argument is a string.
 */
export const noOptionalPathArgument: Deno.lint.Rule = ruleOf(({ node, name, bindsPath }, report) => {
  for (const parameter of bindsPath ? node.value.params : []) {
    if (parameter.type !== "Identifier" || !parameter.optional) continue;
    if (parameter.typeAnnotation?.typeAnnotation.type === "TSStringKeyword") continue;
    report(
      parameter,
      `The argument "${parameter.name}" of "${name}" receives a string: give it a default value, such as 0 or 0n`,
    );
  }
});

/**
 * Requires a Context parameter before path arguments to be named `ctx`. With another name, it would be bound as a path
 * argument.
 */
export const contextName: Deno.lint.Rule = ruleOf(({ node, name, bindsPath }, report) => {
  const [first] = node.value.params;
  if (!bindsPath || first?.type !== "Identifier" || first.name === "ctx" || first.name === "_ctx") return;
  if (!isContext(first.typeAnnotation?.typeAnnotation)) return;
  report(
    first,
    `The Context parameter of "${name}" is named "${first.name}" and would be bound as a path argument: name it "ctx"`,
  );
});

/** Reports whether a type is `Context` or `fw.Context`. */
function isContext(type: Deno.lint.TypeNode | undefined): boolean {
  if (type?.type !== "TSTypeReference") return false;
  const { typeName } = type;
  const last = typeName.type === "TSQualifiedName" ? typeName.right : typeName;
  return last.type === "Identifier" && last.name === "Context";
}
