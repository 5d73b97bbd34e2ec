/**
 * Visits every place where a file names another module.
 *
 * @module
 */

/** Called with the literal that names a module, and its text. */
export type CheckImport = (source: Deno.lint.Node, specifier: string) => void;

/** Creates a visitor of imports and exports, of types too, static and dynamic; what is not a literal is left out. */
export function visitImports(check: CheckImport): Deno.lint.LintVisitor {
  function visit(source: Deno.lint.Node | null): void {
    const literal = source?.type === "TSLiteralType" ? source.literal : source;
    if (source === null || literal?.type !== "Literal" || typeof literal.value !== "string") return;
    check(source, literal.value);
  }
  return {
    ImportDeclaration: (node) => visit(node.source),
    ExportAllDeclaration: (node) => visit(node.source),
    ExportNamedDeclaration: (node) => visit(node.source),
    ImportExpression: (node) => visit(node.source),
    TSImportType: (node) => visit(node.argument),
  };
}
