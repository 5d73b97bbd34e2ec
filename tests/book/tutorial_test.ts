import { assert } from "@std/assert";
import { run, serve } from "../registry/processes.ts";
import { applyPage, type Command, createState, isShown, type Page, readPages } from "./tutorial.ts";

const pages = await readPages();

for (const [index, page] of pages.entries()) {
  Deno.test(`tutorial ${page.file} builds an application that does what the page says`, async () => {
    const parent = await Deno.makeTempDir();
    try {
      const cwd = await createState(pages[0] as Page, parent);
      for (const earlier of pages.slice(0, index)) await applyPage(earlier, cwd);
      await runCommands(page.first, cwd);
      await applyPage(page, cwd);
      await run("deno task check", { cwd, env: {} });
      await run("deno task test", { cwd, env: {} });
      await runCommands(page.commands, cwd);
    } finally {
      await Deno.remove(parent, { recursive: true });
    }
  });
}

/** Runs commands next to the server, and compares their output with that on the page. */
async function runCommands(commands: readonly Command[], cwd: string): Promise<void> {
  if (commands.every(({ output }) => output === undefined)) return;
  await using server = await serve("deno task dev", { cwd, env: { PORT: "0" } });
  const { host } = new URL(server.url);
  for (const { line, output } of commands) {
    if (output === undefined) continue;
    const text = await run(`{ ${line.replaceAll("localhost:8080", host)}; } 2>/dev/null || true`, { cwd, env: {} });
    assert(isShown(output, text), `${line}\n${text}\nThe page shows:\n${output}`);
  }
}
