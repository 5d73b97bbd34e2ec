/**
 * The lint rule for paths of files.
 *
 * @module
 */

/**
 * Disallows conversions between paths and `file:` URLs by hand. `pathname` is `/C:/a%20b` for `C:\a b`, and
 * `file://${path}` does not escape anything.
 */
export const fileURLs: Deno.lint.Rule = {
  create(ctx) {
    /** The variables that contain a URL of a file. */
    const urls = new Set<string>();
    return {
      VariableDeclarator(node) {
        if (node.id.type === "Identifier" && node.init !== null && isFileURL(node.init)) urls.add(node.id.name);
      },
      MemberExpression(node) {
        if (node.property.type !== "Identifier" || node.property.name !== "pathname" || node.computed) return;
        const isFile = isFileURL(node.object) || (node.object.type === "Identifier" && urls.has(node.object.name));
        if (isFile) report(node, "The pathname of a file URL is not a path", "Use fromFileUrl of @std/path");
      },
      TemplateLiteral(node) {
        if (node.quasis[0]?.cooked !== "file://" || node.expressions.length === 0) return;
        report(node, "A path is turned into a URL without escapes", "Use toFileUrl of @std/path");
      },
    };

    function report(node: Deno.lint.Node, message: string, hint: string): void {
      ctx.report({ node, message, hint });
    }
  },
};

/** Reports whether an expression is a new URL that is relative to the current module. */
function isFileURL(node: Deno.lint.Node): boolean {
  return node.type === "NewExpression" && node.callee.type === "Identifier" && node.callee.name === "URL" &&
    node.arguments.some(mentionsModule);
}

/** Reports whether an expression is `import.meta.url` or `import.meta.resolve("…")`. */
function mentionsModule(node: Deno.lint.Node): boolean {
  const member = node.type === "CallExpression" ? node.callee : node;
  return member.type === "MemberExpression" && member.object.type === "MetaProperty";
}
