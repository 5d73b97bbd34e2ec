/**
 * By what name a module asks for dependencies and inputs.
 *
 * @module
 */

/** The functions that are recognised in default values by their names. */
const asking: ReadonlySet<string> = new Set(["Inject", "Body", "Query", "Form", "Header", "Params"]);

/** The entry that has them, with or without a registry and a version. */
const entry = /(?:^|:)@fw\/web(?:@[^/]+)?\/mvc$/;

/**
 * Refuses `import { Inject as use }`. A default value `user = use(User)` works, but to know before a request that it
 * asks for something, it would have to be called, and if it were another function, the body of the method would run.
 */
export const injectName: Deno.lint.Rule = {
  create(ctx) {
    return {
      ImportSpecifier(node) {
        const { imported, local, parent } = node;
        const name = imported.type === "Identifier" ? imported.name : imported.value;
        if (!asking.has(name) || local.name === name || !entry.test(parent.source?.value ?? "")) return;
        ctx.report({
          node: local,
          message:
            `The function "${name}" is imported as "${local.name}": in a default value it is not recognised by that ` +
            "name, and what is missing shows only when it is asked for",
        });
      },
    };
  },
};
