/**
 * The rules on the shape of files, classes and functions.
 *
 * @module
 */

import { isPublished, isTest, pathInHouse } from "./house.ts";

const limit = 300;
const width = 120;
const contextFile = "src/context/context.ts";
const thin = new Set(["ReturnStatement", "ExpressionStatement", "ThrowStatement"]);

/** Refuses a method of Context that is more than one call: the logic belongs to the parts. */
export const thinContext: Deno.lint.Rule = {
  create(ctx) {
    if (pathInHouse(ctx.filename) !== contextFile) return {};
    return {
      MethodDefinition(node) {
        const owner = node.parent.parent;
        if (owner.type !== "ClassDeclaration" || owner.id?.name !== "Context" || node.kind === "constructor") return;
        const statements = node.value.body?.body;
        if (statements === undefined || (statements.length === 1 && thin.has(statements[0]?.type ?? ""))) return;
        ctx.report({
          node: node.key,
          message: "A method of Context is one statement that calls a function of a part",
          hint: "Move the logic to a function beside the class",
        });
      },
    };
  },
};

/** Refuses a class field that holds an arrow function: each instance would carry its own closure. */
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

/** Refuses `private` and `protected`, which the running program does not know. */
export const noPrivateKeyword: Deno.lint.Rule = {
  create(ctx) {
    function check(node: Deno.lint.MethodDefinition | Deno.lint.PropertyDefinition): void {
      if (node.accessibility !== "private" && node.accessibility !== "protected") return;
      ctx.report({ node: node.key, message: `A member is "${node.accessibility}"`, hint: "Use a #private name" });
    }
    return { MethodDefinition: check, PropertyDefinition: check };
  },
};

/** Refuses a function kept in a constant of the module: a declaration has a name, is hoisted, and reads as what it is. */
export const noTopLevelArrow: Deno.lint.Rule = {
  create(ctx) {
    return {
      VariableDeclarator(node) {
        const place = node.parent.parent;
        const outermost = place.type === "Program" ||
          (place.type === "ExportNamedDeclaration" && place.parent.type === "Program");
        if (!outermost || node.parent.kind !== "const" || node.init?.type !== "ArrowFunctionExpression") return;
        ctx.report({ node, message: "An arrow function stands at the top level", hint: "Declare a function" });
      },
    };
  },
};

/**
 * Refuses a file of more than 300 lines of code; blank lines and comments do not count, tests are free. So is the file of
 * Context: it grows by one statement a method, which is what the rule above sees to.
 */
export const maxCodeLines: Deno.lint.Rule = {
  create(ctx) {
    if (isTest(ctx.filename) || pathInHouse(ctx.filename) === contextFile) return {};
    return {
      "Program:exit"() {
        const lines = codeLines(ctx.sourceCode);
        if (lines <= limit) return;
        ctx.report({
          range: [0, 1],
          message: `The file has ${lines} lines of code, more than ${limit}`,
          hint: "Make two files",
        });
      },
    };
  },
};

/** Refuses a comment that is wider than the code may be, which `deno fmt` does not wrap. Rows of a table are one line. */
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

/** Refuses an export named `then`: `await import()` takes such a module for a promise and calls it. */
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
