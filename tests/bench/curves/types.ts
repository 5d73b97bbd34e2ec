/**
 * The curve of types: a file that calls many controllers with typed clients.
 *
 * @module
 */

import ts from "npm:typescript@6.0.3";
import { fwSources } from "../client_sources.ts";
import { compilerOptions } from "../compiler_options.ts";
import type { Curve } from "./curve.ts";

/** Checks the file with the calls, after the server has been checked. */
const calls: Curve = {
  sizes: [10, 20, 40, 80],
  per: "unit",
  prepare: async (size) => {
    const folder = await Deno.makeTempDir({ prefix: "fw_growth_types_" });
    const { server, head, calls } = fwSources(size);
    await Deno.writeTextFile(`${folder}/server.ts`, server);
    await Deno.writeTextFile(`${folder}/client.ts`, head + calls.join(""));
    let check = () => {};
    return {
      before: () => {
        const program = ts.createProgram([`${folder}/client.ts`], compilerOptions);
        program.getSemanticDiagnostics(program.getSourceFile(`${folder}/server.ts`));
        check = () => {
          const found = program.getSemanticDiagnostics(program.getSourceFile(`${folder}/client.ts`));
          if (found.length > 0) throw new Error(`${found.length} errors in the calls`);
        };
      },
      run: () => check(),
      close: () => Deno.remove(folder, { recursive: true }),
    };
  },
};

/** The curves by name. */
export const typeCurves: ReadonlyMap<string, Curve> = new Map([["types: the calls of a file", calls]]);
