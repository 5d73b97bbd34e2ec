import { assertEquals, assertLess } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { exampleNames } from "../repo/example.ts";
import { fw, Project } from "../tools/permissions/project.ts";
import { Child } from "../http/server/support.ts";

const runner = fromFileUrl(new URL("../repo/example.ts", import.meta.url));
const command = fromFileUrl(new URL("../../src/tools/permissions/mod.ts", import.meta.url));
const root = fromFileUrl(new URL("../../", import.meta.url));
const env = { DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0" };

for (const name of await exampleNames()) {
  Deno.test(`deno task example ${name} serves with its permissions and leaves nothing behind`, async () => {
    const before = await names(root);
    await using child = new Child(["run", "-A", "--no-check", runner, name], env);
    await visit(child, name);
    assertEquals(await names(root), before);
  });

  Deno.test(`example ${name} serves with the permission set that the permissions command writes for it`, async () => {
    await using project = await Project.create({ "deno.json": JSON.stringify({ ...fw, unstable: ["kv"] }) });
    const flags = ["--no-check", "--no-lock", join(root, "examples", name, "main.ts")];
    const args = ["run", "-A", "--no-check", "--no-lock", command, "--", "run", ...flags];
    await using audited = new Child(args, env, Deno.execPath(), project.folder);
    await visit(audited, name);
    const set = await project.set("default");
    assertEquals(Object.values(set ?? {}).includes(true), false, JSON.stringify(set));
    await using child = new Child(
      ["run", "-P", "--no-prompt", "--config=deno.json", ...flags],
      env,
      Deno.execPath(),
      project.folder,
    );
    await visit(child, name);
  });
}

/** Sends a request to an example and stops it. */
async function visit(child: Child, name: string): Promise<void> {
  let line: string | undefined;
  do line = await child.line(); while (line !== undefined && !line.includes("Now listening on: "));
  if (line === undefined) throw new Error(`The example did not listen: ${(await child.end()).errors}`);
  const url = line.split("Now listening on: ")[1] ?? "";
  const response = await fetch(url);
  await response.text();
  assertLess(response.status, 500);
  if (name === "upload") await upload(url);
  child.kill("SIGTERM");
  const { code, errors } = await child.end();
  assertEquals(code, 0, errors);
}

async function upload(url: string): Promise<void> {
  const body = new FormData();
  body.append("files[]", new File(["hello"], "hello.txt"));
  const response = await fetch(`${url}/upload`, { method: "POST", body });
  assertEquals((await response.json()).total, 5);
}

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
}
