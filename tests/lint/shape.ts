/**
 * Lint rules for the structure of files, classes and functions.
 *
 * @module
 */

import { isPublished, isTest, repoPath } from "./layers.ts";

const limit = 300;
const width = 120;
const contextFile = "src/core/context/context.ts";
const thin = new Set(["ReturnStatement", "ExpressionStatement", "ThrowStatement"]);

/** Disallows Context methods with more than one statement. The logic belongs in other modules. */
export const thinContext: Deno.lint.Rule = {
  create(ctx) {
    if (repoPath(ctx.filename) !== contextFile) return {};
    return {
      MethodDefinition(node) {
        const owner = node.parent.parent;
        if (owner.type !== "ClassDeclaration" || owner.id?.name !== "Context" || node.kind === "constructor") return;
        const statements = node.value.body?.body;
        if (statements === undefined || (statements.length === 1 && thin.has(statements[0]?.type ?? ""))) return;
        ctx.report({
          node: node.key,
          message: "A Context method must be a single statement that calls a function",
          hint: "Move the logic to a function in another module",
        });
      },
    };
  },
};

/** Disallows arrow functions in class fields, because each instance would have its own closure. */
export const noArrowField: Deno.lint.Rule = {
  create(ctx) {
    if (isTest(ctx.filename)) return {};
    return {
      PropertyDefinition(node) {
        if (node.value?.type !== "ArrowFunctionExpression") return;
        ctx.report({ node, message: "A class field holds an arrow function", hint: "Make it a method" });
      },
    };
  },
};

/** Disallows `private` and `protected`, because they have no effect at run time. */
export const noPrivateKeyword: Deno.lint.Rule = {
  create(ctx) {
    function check(node: Deno.lint.MethodDefinition | Deno.lint.PropertyDefinition): void {
      if (node.accessibility !== "private" && node.accessibility !== "protected") return;
      ctx.report({ node: node.key, message: `A member is "${node.accessibility}"`, hint: "Use a #private name" });
    }
    return { MethodDefinition: check, PropertyDefinition: check };
  },
};

/** Disallows functions in module-level constants. A declaration has a name, is hoisted and is easier to recognize. */
export const noTopLevelArrow: Deno.lint.Rule = {
  create(ctx) {
    return {
      VariableDeclarator(node) {
        const place = node.parent.parent;
        const outermost = place.type === "Program" ||
          (place.type === "ExportNamedDeclaration" && place.parent.type === "Program");
        if (!outermost || node.parent.kind !== "const" || node.init?.type !== "ArrowFunctionExpression") return;
        ctx.report({ node, message: "A top-level constant holds an arrow function", hint: "Declare a function" });
      },
    };
  },
};

/**
 * Disallows files with more than 300 lines of code. Blank lines, comments and tests are not counted. The Context file
 * is exempt, because it grows by one statement per method, which the rule above ensures.
 */
export const maxCodeLines: Deno.lint.Rule = {
  create(ctx) {
    if (isTest(ctx.filename) || repoPath(ctx.filename) === contextFile) return {};
    return {
      "Program:exit"() {
        const lines = codeLines(ctx.sourceCode);
        if (lines <= limit) return;
        ctx.report({
          range: [0, 1],
          message: `The file has ${lines} lines of code, more than ${limit}`,
          hint: "Split the file",
        });
      },
    };
  },
};

/**
 * Disallows comments that are wider than the maximum code width, because `deno fmt` does not wrap them. Table rows are
 * exempt.
 */
export const commentWidth: Deno.lint.Rule = {
  create(ctx) {
    if (!isPublished(ctx.filename)) return {};
    return {
      "Program:exit"() {
        const { text } = ctx.sourceCode;
        for (const { range } of ctx.sourceCode.getAllComments()) {
          for (let at = text.lastIndexOf("\n", range[0]) + 1; at < range[1];) {
            const end = (text.indexOf("\n", at) + 1 || text.length + 1) - 1;
            const line = text.slice(at, end);
            if (line.length > width && !/^\s*\* \|/.test(line)) {
              ctx.report({
                range: [at, end],
                message: `A comment has ${line.length} columns, more than ${width}`,
                hint: "Wrap it",
              });
            }
            at = end + 1;
          }
        }
      },
    };
  },
};

function codeLines(source: Deno.lint.SourceCode): number {
  let code = "";
  let end = 0;
  for (const comment of source.getAllComments()) {
    code += source.text.slice(end, comment.range[0]);
    end = comment.range[1];
  }
  return (code + source.text.slice(end)).split("\n").filter((line) => line.trim() !== "").length;
}

/** Disallows an export named `then`, because `await import()` would treat the module as a promise and call it. */
export const noThenExport: Deno.lint.Rule = {
  create(ctx) {
    if (isTest(ctx.filename)) return {};
    function check(node: Deno.lint.Node, name: string | undefined): void {
      if (name !== "then") return;
      ctx.report({
        node,
        message: 'A module exports "then"',
        hint: "Rename it: an import() of the module would call it",
      });
    }
    return {
      ExportNamedDeclaration(node) {
        const { declaration } = node;
        if (declaration?.type === "FunctionDeclaration") check(declaration, declaration.id?.name);
        if (declaration?.type === "VariableDeclaration") {
          for (const { id } of declaration.declarations) check(id, id.type === "Identifier" ? id.name : undefined);
        }
        for (const { exported } of node.specifiers) {
          check(exported, exported.type === "Identifier" ? exported.name : String(exported.value));
        }
      },
    };
  },
};
