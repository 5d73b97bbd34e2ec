/**
 * The options with which benchmarks and tests check the types of clients, so that their figures can be compared.
 *
 * @module
 */

import ts from "npm:typescript@6.0.3";

export const compilerOptions: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  types: [],
};
