import { assertEquals } from "@std/assert";

const folder = new URL("../../../src/state/sessions/", import.meta.url);

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  const command = new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" }, stdout: "piped", stderr: "piped" });
  const { code, stdout, stderr } = await command.output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

for (const entry of ["mod", "sqlite", "redis", "kv"]) {
  Deno.test(`src/state/sessions/${entry}.ts can be imported without any permission`, async () => {
    const ended = await run("run", "--no-prompt", "--no-check", new URL(`${entry}.ts`, folder).href);
    assertEquals(ended, { code: 0, text: "" });
  });
}

Deno.test("src/state/sessions/mod.ts loads only the in-memory store", async () => {
  const { text } = await run("info", "--json", new URL("mod.ts", folder).href);
  const modules = JSON.parse(text).modules as { specifier: string }[];
  const loaded = modules.map(({ specifier }) => specifier).filter((it) => /sqlite|redis|\bkv|^npm:@/.test(it));
  assertEquals(loaded, []);
});
