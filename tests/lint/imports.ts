/**
 * Visits all imports and exports that refer to another module.
 *
 * @module
 */

/** Called with the literal that specifies a module, and its text. */
export type CheckImport = (source: Deno.lint.Node, specifier: string) => void;

/**
 * Creates a visitor for static and dynamic imports and for exports, including those of types. Specifiers that are not
 * literals are ignored.
 */
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
