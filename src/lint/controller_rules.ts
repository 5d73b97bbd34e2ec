/**
 * What only the source text of a controller tells: access modifiers, optional marks and declared types are gone when
 * the program runs, so `Handle` cannot refuse them, and the compiler does not see the names.
 *
 * @module
 */

import { parseMethodName } from "../../mvc/reflect/method_parser.ts";

/** A method whose name is a route. */
interface RouteMethod {
  readonly node: Deno.lint.MethodDefinition;
  readonly name: string;
  readonly bindsPath: boolean;
}

/** Finds the methods that are routed by their names and hands them to a check. */
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

/** A class with `BeforeActivation` routes by hand what it pleases. */
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

/** Refuses `private` and `protected` routes, which every client can ask for. */
export const noHiddenRoute: Deno.lint.Rule = ruleOf(({ node, name }, report) => {
  if (node.accessibility !== "private" && node.accessibility !== "protected") return;
  report(node.key, `The method "${name}" is ${node.accessibility} and a route all the same: give it a #private name`);
});

/** Refuses `id?: number` in a path, which receives a text: without a default value, the type is lost. */
export const noOptionalPathArgument: Deno.lint.Rule = ruleOf(({ node, name, bindsPath }, report) => {
  for (const parameter of bindsPath ? node.value.params : []) {
    if (parameter.type !== "Identifier" || !parameter.optional) continue;
    if (parameter.typeAnnotation?.typeAnnotation.type === "TSStringKeyword") continue;
    report(
      parameter,
      `The argument "${parameter.name}" of "${name}" receives a text: give it a default value, as 0 or 0n`,
    );
  }
});

/** Refuses a Context that is not named `ctx` before path arguments: it would be one of them. */
export const contextName: Deno.lint.Rule = ruleOf(({ node, name, bindsPath }, report) => {
  const [first] = node.value.params;
  if (!bindsPath || first?.type !== "Identifier" || first.name === "ctx" || first.name === "_ctx") return;
  if (!isContext(first.typeAnnotation?.typeAnnotation)) return;
  report(first, `The Context of "${name}" is named "${first.name}" and would be a path argument: name it "ctx"`);
});

/** `Context`, `fw.Context`. */
function isContext(type: Deno.lint.TypeNode | undefined): boolean {
  if (type?.type !== "TSTypeReference") return false;
  const { typeName } = type;
  const last = typeName.type === "TSQualifiedName" ? typeName.right : typeName;
  return last.type === "Identifier" && last.name === "Context";
}
