/**
 * `deno task bench language_server`: measures `deno lsp` in a file that calls many controllers, with the clients of fw
 * and tRPC: the CPU time of the first completion, which includes loading the program, of a completion after a change,
 * and of the diagnostics, and the memory of the language server.
 *
 * CPU time is read from /proc, so that other programs do not matter.
 *
 * Options: --controllers=50,200 sets the numbers of controllers.
 */

import { toFileUrl } from "@std/path";
import { fwSources, type Sources, trpcSources } from "./client_sources.ts";
import { option, printRow } from "./report.ts";

const packages = { "@trpc/client": "11.22.1", "@trpc/server": "11.22.1", "zod": "4.6.7" };

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
}

/** A language server that is driven over its standard streams. */
class LanguageServer {
  readonly #process: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #pending = new Map<number, (result: unknown) => void>();
  readonly #closed: Promise<void>;
  #last = 0;

  constructor(cwd: string) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["lsp"],
      cwd,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#writer = this.#process.stdin.getWriter();
    this.#closed = this.#read();
  }

  /** Returns the used CPU time in ms, and the largest memory in MB. */
  async usage(): Promise<{ readonly cpu: number; readonly memory: number }> {
    const folder = `/proc/${this.#process.pid}`;
    const fields = (await Deno.readTextFile(`${folder}/stat`)).split(") ")[1]?.split(" ") ?? [];
    const peak = /VmHWM:\s+(\d+)/.exec(await Deno.readTextFile(`${folder}/status`))?.[1];
    // The clock of /proc has 100 ticks per second.
    return { cpu: (Number(fields[11]) + Number(fields[12])) * 10, memory: Number(peak) / 1024 };
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#pending.set(id, resolve);
    this.#send({ id, method, params });
    return promise;
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  async close(): Promise<void> {
    this.#process.kill();
    await this.#process.status;
    await this.#closed;
  }

  #send(message: Record<string, unknown>): void {
    const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.#writer.write(new TextEncoder().encode(`Content-Length: ${bytes.length}\r\n\r\n`));
    this.#writer.write(bytes);
  }

  async #read(): Promise<void> {
    let buffer = new Uint8Array();
    for await (const chunk of this.#process.stdout) {
      const joined = new Uint8Array(buffer.length + chunk.length);
      joined.set(buffer);
      joined.set(chunk, buffer.length);
      buffer = joined;
      for (;;) {
        const head = /^Content-Length: (\d+)[^]*?\r\n\r\n/.exec(new TextDecoder().decode(buffer.subarray(0, 200)));
        if (head === null) break;
        const end = head[0].length + Number(head[1]);
        if (buffer.length < end) break;
        this.#receive(JSON.parse(new TextDecoder().decode(buffer.subarray(head[0].length, end))));
        buffer = buffer.slice(end);
      }
    }
  }

  #receive({ id, method, result }: Message): void {
    if (method !== undefined) {
      // The server asks for its settings, once for each scope.
      const settings = [{ enable: true }, { enable: true }, { enable: true }, { enable: true }];
      if (id !== undefined) this.#send({ id, result: method === "workspace/configuration" ? settings : null });
      return;
    }
    if (typeof id !== "number") return;
    this.#pending.get(id)?.(result);
    this.#pending.delete(id);
  }
}

async function measure(folder: string, { server, head, calls, unfinished, member }: Sources): Promise<string[]> {
  await Deno.writeTextFile(`${folder}/server.ts`, server);
  const program = head + calls.join("");
  await Deno.writeTextFile(`${folder}/client.ts`, program);
  const uri = toFileUrl(`${folder}/client.ts`).href;
  const lsp = new LanguageServer(folder);
  try {
    await lsp.request("initialize", {
      processId: Deno.pid,
      rootUri: toFileUrl(folder).href,
      capabilities: { workspace: { configuration: true }, textDocument: { diagnostic: {} } },
      initializationOptions: { enable: true },
    });
    lsp.notify("initialized", {});
    lsp.notify("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version: 1, text: program } });
    const used: string[] = [];
    const step = async (run: () => Promise<unknown>, expected: string) => {
      const { cpu } = await lsp.usage();
      const result = await run();
      used.push(`${((await lsp.usage()).cpu - cpu).toFixed(0)} ms`);
      if (!JSON.stringify(result).includes(`"${expected}"`)) {
        throw new Error(`The language server did not say ${expected}`);
      }
    };
    const line = program.split("\n").length;
    const complete = (version: number) => {
      const text = `${program}\n${unfinished}`;
      lsp.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
      return lsp.request("textDocument/completion", {
        textDocument: { uri },
        position: { line, character: unfinished.length },
        context: { triggerKind: 2, triggerCharacter: "." },
      });
    };
    await step(() => complete(2), member);
    await step(() => complete(3), member);
    await step(() => lsp.request("textDocument/diagnostic", { textDocument: { uri } }), "items");
    return [...used, `${(await lsp.usage()).memory.toFixed(0)} MB`];
  } finally {
    await lsp.close();
  }
}

const sizes = option("controllers", "50,200").split(",").map(Number);
const folder = await Deno.makeTempDir({ prefix: "fw-language-server-" });
try {
  await Deno.writeTextFile(`${folder}/deno.json`, '{ "nodeModulesDir": "auto" }');
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ dependencies: packages }));
  await new Deno.Command(Deno.execPath(), { args: ["install", "--quiet"], cwd: folder }).output();
  printRow("deno lsp, CPU time", "controllers", "first completion", "completion", "diagnostics", "memory");
  for (const size of sizes) {
    printRow("fw", String(size), ...await measure(folder, fwSources(size)));
    printRow("tRPC", String(size), ...await measure(folder, trpcSources(size)));
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
