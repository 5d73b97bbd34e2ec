/**
 * The lint rule for dynamic imports.
 *
 * @module
 */

import { isPublished } from "./layers.ts";

/** The functions that load a module outside the asynchronous context of the current call. */
const loaders = new Set(["LazyModule", "loadModule"]);

/**
 * Disallows dynamic imports except in the function that is passed to `LazyModule` or `loadModule`. If a request calls
 * `import()` itself, Deno uses its asynchronous context for the requests of other users.
 */
export const lazyImports: Deno.lint.Rule = {
  create(ctx) {
    if (!isPublished(ctx.filename)) return {};
    return {
      ImportExpression(node) {
        if (isLoaded(node.parent)) return;
        ctx.report({
          node,
          message: "A dynamic import runs in the asynchronous context of its caller",
          hint: "Use loadModule(() => import(...)) or new LazyModule(() => import(...))",
        });
      },
    };
  },
};

/** Reports whether a function only imports a module and is passed to a loader. */
function isLoaded(parent: Deno.lint.Node): boolean {
  if (parent.type !== "ArrowFunctionExpression" || parent.body.type !== "ImportExpression") return false;
  const { parent: call } = parent;
  if (call.type !== "CallExpression" && call.type !== "NewExpression") return false;
  return call.callee.type === "Identifier" && loaders.has(call.callee.name) && call.arguments[0] === parent;
}
