/**
 * A lint rule for the names under which a module imports `Inject` and the input functions.
 *
 * @module
 */

/** The functions that fw recognizes by name in default values. */
const injecting: ReadonlySet<string> = new Set([
  "Inject",
  "InjectOptional",
  "Body",
  "Query",
  "Form",
  "FormResult",
  "Header",
  "Params",
]);

/** The specifier of the mvc entry, with or without a registry and version. */
const entry = /(?:^|:)@fw\/web(?:@[^/]+)?\/mvc$/;

const REASON = "it is not recognized by that name, so a missing dependency fails only at request time";

/**
 * Disallows `import { Inject as use }` and default values such as `user = Inject(User)` or `user = m.Inject(User)`. fw
 * only recognizes `mvc.Inject(User)` at start-up. To recognize other names, it would have to call the functions, which
 * could run the method's body.
 */
export const injectName: Deno.lint.Rule = {
  create(ctx) {
    /** The original names of imported functions, by local name. */
    const functions = new Map<string, string>();
    const namespaces = new Set<string>();

    /** Returns the original name of an injecting function that is called by a name other than `mvc.Inject`. */
    function publishedName(callee: Deno.lint.Expression): string | undefined {
      if (callee.type === "Identifier") return functions.get(callee.name);
      if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return undefined;
      const name = callee.property.type === "Identifier" ? callee.property.name : "";
      return namespaces.has(callee.object.name) && injecting.has(name) ? name : undefined;
    }

    return {
      ImportSpecifier(node) {
        const { imported, local, parent } = node;
        const name = imported.type === "Identifier" ? imported.name : imported.value;
        if (!injecting.has(name) || !entry.test(parent.source?.value ?? "")) return;
        functions.set(local.name, name);
        if (local.name === name) return;
        ctx.report({
          node: local,
          message: `The function "${name}" is imported as "${local.name}": in a default value ${REASON}`,
        });
      },
      ImportNamespaceSpecifier(node) {
        const { source } = node.parent as Deno.lint.ImportDeclaration;
        if (node.local.name !== "mvc" && entry.test(source.value)) namespaces.add(node.local.name);
      },
      AssignmentPattern(node) {
        const call = firstCall(node.right);
        const name = call === undefined ? undefined : publishedName(call.callee);
        if (call === undefined || name === undefined) return;
        ctx.report({
          node: call,
          message: `The function "${name}" is called as "${ctx.sourceCode.getText(call.callee)}" in a default value: ` +
            `${REASON}; import * as mvc and write mvc.${name}(...)`,
        });
      },
    };
  },
};

/** Returns the first call in an expression, such as `Inject(user)` in `Inject(user).name`. */
function firstCall(expression: Deno.lint.Expression): Deno.lint.CallExpression | undefined {
  if (expression.type === "MemberExpression") return firstCall(expression.object as Deno.lint.Expression);
  if (expression.type !== "CallExpression") return undefined;
  return firstCall(expression.callee) ?? expression;
}
