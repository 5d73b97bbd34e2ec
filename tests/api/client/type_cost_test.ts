import { assert, assertEquals } from "@std/assert";
import ts from "npm:typescript@6.0.3";
import { fwSources } from "../../bench/client_sources.ts";
import { compilerOptions } from "../../bench/compiler_options.ts";

interface Cost {
  readonly instantiations: number;
  readonly symbols: number;
}

/** Returns the cost of checking a file that calls a number of controllers, without the cost of the server. */
function costOf(folder: string, controllers: number): Cost {
  const { server, head, calls } = fwSources(controllers);
  Deno.writeTextFileSync(`${folder}/server.ts`, server);
  Deno.writeTextFileSync(`${folder}/client.ts`, head + calls.join(""));
  const program = ts.createProgram([`${folder}/client.ts`], {
    ...compilerOptions,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  });
  const errorsIn = (file: string) =>
    program.getSemanticDiagnostics(program.getSourceFile(`${folder}/${file}`)).map(({ messageText }) =>
      ts.flattenDiagnosticMessageText(messageText, "\n")
    );
  assertEquals(errorsIn("server.ts"), []);
  const [instantiations, symbols] = [program.getInstantiationCount(), program.getSymbolCount()];
  assertEquals(errorsIn("client.ts"), []);
  return {
    instantiations: program.getInstantiationCount() - instantiations,
    symbols: program.getSymbolCount() - symbols,
  };
}

Deno.test("Client costs the compiler the same for each call, and no more than before", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw_type_cost_" });
  try {
    const [few, more, most] = [5, 10, 20].map((controllers) => costOf(folder, controllers));
    assert(few !== undefined && more !== undefined && most !== undefined);
    // Per controller with five calls. tRPC needs 2,400 instantiations for the same calls.
    const each: Cost = {
      instantiations: (more.instantiations - few.instantiations) / 5,
      symbols: (more.symbols - few.symbols) / 5,
    };
    const later: Cost = {
      instantiations: (most.instantiations - more.instantiations) / 10,
      symbols: (most.symbols - more.symbols) / 10,
    };
    assert(later.instantiations < each.instantiations * 1.01, `${later.instantiations} after ${each.instantiations}`);
    assert(later.symbols < each.symbols * 1.01, `${later.symbols} after ${each.symbols}`);
    assert(each.instantiations <= 1_000, `${each.instantiations} instantiations`);
    assert(each.symbols <= 560, `${each.symbols} symbols`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
