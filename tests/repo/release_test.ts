import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse } from "npm:yaml@^2";
import { LEAST_DENO } from "../../src/app/deno_version.ts";
import { entries } from "./entries.ts";
import { assertNewer, datedChangelog } from "./release.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("datedChangelog() dates what is not released yet", () => {
  const log = "# Changelog\n\n## Unreleased\n\n- added: tea\n\n## 0.1.0\n\n- added: cups\n";
  assertEquals(
    datedChangelog(log, "0.2.0", "2026-01-31"),
    "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-01-31)\n\n- added: tea\n\n## 0.1.0\n\n- added: cups\n",
  );
  assertThrows(() => datedChangelog("# Changelog\n", "0.2.0", ""), Error, 'no section "Unreleased"');
  assertThrows(() => datedChangelog("## Unreleased\n\n## 0.1.0\n\n- x\n", "0.2.0", ""), Error, "has no line");
});

Deno.test("assertNewer() takes only versions above the present one", () => {
  for (const version of ["0.1.1", "0.2.0", "1.0.0"]) assertNewer(version, "0.1.0");
  for (const version of ["0.1.0", "0.0.9", "1.0", "v1.0.0", "1.0.0-rc.1"]) {
    assertThrows(() => assertNewer(version, "0.1.0"), Error, "Cannot release");
  }
});

Deno.test("the package gets every point of JSR's score that its files can give", async (t) => {
  const read = (path: string) => Deno.readTextFile(join(root, path));
  const doc = await documentation();

  await t.step("README or module documentation, with an example: 3 points", async () => {
    assertStringIncludes(await read("README.md"), "```ts");
  });
  await t.step("module documentation in all entries: 1 point", () => {
    for (const [name, file] of entries) {
      const url = new URL(file, `file://${root}`).href;
      assertEquals((doc[url]?.module_doc?.doc ?? "") !== "" || doc[url]?.module_doc?.tags !== undefined, true, name);
    }
  });
  await t.step("documentation of all symbols: 5 points (80 % would do)", () => {
    const symbols = Object.values(doc).flatMap(({ symbols }) => symbols);
    // A symbol that several entries export has its documentation where it first stands.
    const bare = symbols.filter(({ declarations }) =>
      declarations.every(({ kind, jsDoc }) => kind !== "reference" && jsDoc === undefined)
    );
    assertEquals(bare.map(({ name }) => name), []);
  });
  await t.step("no slow types: 5 points", async () => {
    const { compilerOptions } = JSON.parse(await read("deno.json"));
    assertEquals(compilerOptions.isolatedDeclarations, true);
  });
  await t.step("provenance: 1 point", async () => {
    assertStringIncludes(await read(".github/workflows/publish.yml"), "id-token: write");
  });
});

Deno.test("the workflows run the gate on three systems, with the least Deno and the newest, and publish by tag", async () => {
  const read = async (name: string) => parse(await Deno.readTextFile(join(root, ".github/workflows", name)));
  const { gate } = (await read("ci.yml")).jobs;
  assertEquals(gate.strategy.matrix, {
    os: ["ubuntu-latest", "macos-latest", "windows-latest"],
    deno: [`v${LEAST_DENO}`, "v2.x"],
  });
  const { tasks } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const steps = gate.steps.flatMap(({ run }: { run?: string }) => /^deno task (\S+)$/.exec(run ?? "")?.[1] ?? []);
  assertEquals(steps, ["static", "check", "test", "walkthrough", "test:fast"]);
  for (const step of steps) assertEquals(step in tasks, true, step);
  const publish = await read("publish.yml");
  assertEquals(publish.on.push.tags, ["v*"]);
  assertEquals(publish.permissions["id-token"], "write");
});

interface Documentation {
  readonly "module_doc"?: { readonly doc?: string; readonly tags?: unknown };
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly { readonly kind: string; readonly jsDoc?: unknown }[];
  }[];
}

async function documentation(): Promise<Record<string, Documentation>> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...entries.map(([, file]) => file)],
    cwd: root,
    stdout: "piped",
    stderr: "null",
  });
  return JSON.parse(new TextDecoder().decode((await command.output()).stdout)).nodes;
}
