import { fromFileUrl } from "@std/path";
import { assertEquals } from "@std/assert";

interface Graph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly { readonly code?: { readonly specifier?: string } }[];
  }[];
}

/** Returns fw's modules that the compiler reads when a program imports a file, including those with types only. */
async function readBy(file: URL): Promise<string[]> {
  const { modules } = await graphOf(file);
  return modules.map(({ specifier }) => specifier.replace(new URL("../../../", import.meta.url).href, "")).sort();
}

async function graphOf(file: URL): Promise<Graph> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json", fromFileUrl(file)] }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Returns fw's modules that are loaded when a program imports a file. Modules that only contain types are not loaded. */
async function loadedBy(file: URL): Promise<string[]> {
  const graph = await graphOf(file);
  const modules = new Map(graph.modules.map((module) => [module.specifier, module]));
  const loaded = new Set(graph.roots);
  for (const specifier of loaded) {
    for (const { code } of modules.get(specifier)?.dependencies ?? []) {
      if (code?.specifier !== undefined) loaded.add(code.specifier);
    }
  }
  const root = new URL("../../../", import.meta.url).href;
  const own = [...loaded].filter((specifier) => specifier.startsWith(root)).map((specifier) =>
    specifier.replace(root, "")
  );
  return own.filter((path) => /^(?:src|mvc)\//.test(path)).sort();
}

Deno.test("@fw/web/client loads only the parser for method names from the server", async () => {
  const modules = await loadedBy(new URL("../../../src/api/client/mod.ts", import.meta.url));
  assertEquals(modules.filter((module) => !/^(?:npm|jsr|https?):|^tests\/std\//.test(module)), [
    "mvc/reflect/method_parser.ts",
    "src/api/client/application.ts",
    "src/api/client/call_error.ts",
    "src/api/client/client.ts",
    "src/api/client/live_client.ts",
    "src/api/client/mod.ts",
    "src/api/client/options.ts",
    "src/api/client/redirects.ts",
    "src/api/client/request_body.ts",
    "src/api/client/request_path.ts",
    "src/api/client/response_value.ts",
    "src/api/client/routed.ts",
    "src/api/client/sender.ts",
    "src/base/config/option_kinds.ts",
    "src/base/config/option_shapes.ts",
    "src/base/config/option_table.ts",
    "src/base/errors/errors.ts",
    "src/base/text/body_lines.ts",
    "src/base/text/lossless_json.ts",
    "src/base/text/near_names.ts",
    "src/http/headers/methods.ts",
    "src/live/websocket/client/live.ts",
    "src/live/websocket/client/live_queue.ts",
    "src/live/websocket/client/live_rooms.ts",
  ]);
  // The only part of the standard library is the table of status codes.
  const others = modules.filter((module) => /^(?:npm|jsr|https?):|^tests\/std\//.test(module));
  assertEquals(others.filter((module) => !module.includes("http/status")), []);
});

/** The clients for browsers, and the modules outside of their folders that they may import. */
const clients: Readonly<Record<string, readonly string[]>> = {
  "src/api/client/mod.ts": [
    "mvc/reflect/input_type.ts",
    "mvc/reflect/method_parser.ts",
    "mvc/result/tuple.ts",
    "src/base/config/option_kinds.ts",
    "src/base/config/option_shapes.ts",
    "src/base/config/option_table.ts",
    "src/base/errors/errors.ts",
    "src/base/text/body_lines.ts",
    "src/base/text/lossless_json.ts",
    "src/base/text/near_names.ts",
    "src/http/headers/methods.ts",
    "src/http/response/server_event.ts",
    "src/live/hub/types/member.ts",
    "src/live/websocket/lifecycle_names.ts",
  ],
  // Clients check their options, too.
  "src/live/answers/client/mod.ts": [
    "src/base/config/option_kinds.ts",
    "src/base/config/option_table.ts",
    "src/base/errors/errors.ts",
    "src/base/text/near_names.ts",
  ],
};

for (const [entry, allowed] of Object.entries(clients)) {
  Deno.test(`${entry} does not make the compiler read the server's types`, async () => {
    const modules = await readBy(new URL(`../../../${entry}`, import.meta.url));
    assertEquals(modules.filter((module) => !/^src\/(?:\w+\/)+client\/|^tests\/std\//.test(module)), allowed);
  });
}
