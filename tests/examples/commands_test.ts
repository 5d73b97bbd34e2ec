import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import type * as fw from "../../mod.ts";
import { exampleNames } from "../repo/example.ts";
import { overSocket } from "../serving.ts";

const folder = fromFileUrl(new URL("../../examples/", import.meta.url));

interface Command {
  readonly text: string;
  /** The status in the comment after the command, or any non-error status if there is none. */
  readonly status: string | undefined;
}

/** Returns the curl commands in the header of an example, both on separate lines and in sentences. */
async function commandsOf(name: string): Promise<Command[]> {
  const source = await Deno.readTextFile(join(folder, name, "main.ts"));
  const header = source.slice(0, source.indexOf(" */")).replace(/^ \* ?/gm, "");
  const lines = [...header.matchAll(/^ {4}(curl .+?)(?:\s+#\s*(\d{3})?.*)?$/gm)];
  const inline = [...header.matchAll(/`(curl [^`]+)`/g)];
  return [...lines, ...inline].map(([, text = "", status]) => ({ text: text.replaceAll("\n", " "), status }));
}

/** Returns arguments that keep the output of an example out of the repository and the terminal. */
function argumentsOf(name: string, cwd: string): unknown[] {
  if (name === "public") return [{ AccessLog: { Output() {} } }];
  if (name === "jobs") return [join(cwd, "shop.db")];
  return name === "upload" ? [join(cwd, "uploads")] : [];
}

/** Runs a curl command and returns the status, or the error message of curl. */
async function statusOf(line: string, cwd: string): Promise<string> {
  const args = ["-c", line.replace("curl ", "curl -sS --max-time 60 -o response -w '%{http_code}' ")];
  const { stdout, stderr } = await new Deno.Command("sh", { args, cwd }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

/** Runs a curl command whose response never ends, and returns the status when the first part of the body arrives. */
async function statusOfStream(line: string): Promise<string> {
  const args = ["-c", `exec ${line.replace("curl ", "curl -sSi --max-time 60 ")}`];
  await using curl = new Deno.Command("sh", { args, stdout: "piped" }).spawn();
  let text = "";
  for await (const chunk of curl.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (/\r\n\r\n./.test(text)) break;
  }
  return /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? text;
}

for (const name of await exampleNames()) {
  const commands = await commandsOf(name);
  if (commands.length === 0) continue;
  Deno.test(`examples/${name} responds to the commands in its header`, async () => {
    const { newApp } = await import(new URL(`../../examples/${name}/main.ts`, import.meta.url).href);
    const cwd = await Deno.makeTempDir();
    const created = newApp(...argumentsOf(name, cwd));
    const app: fw.Application = created.app ?? created;
    await created.store?.Migrate();
    app.Logger().SetLevel("disable");
    for (const file of ["a.txt", "b.txt"]) await Deno.writeTextFile(join(cwd, file), file);
    try {
      await overSocket(app, async (_ask, port) => {
        for (const { text, status } of commands) {
          const line = text.replace("localhost:8080", `127.0.0.1:${port}`);
          const code = await (line.includes(" -N ") ? statusOfStream(line) : statusOf(line, cwd));
          if (status !== undefined) assertEquals(code, status, text);
          else assert(/^[23]\d\d$/.test(code), `${text}: ${code}`);
        }
      });
    } finally {
      await app.Shutdown();
      await Deno.remove(cwd, { recursive: true });
    }
  });
}
