/**
 * Bundles the scripts and styles that fw sends to browsers. Their sources are in `src/browser/` and, for the client of the
 * WebSocket server, in `src/live/websocket/client/`. Each becomes a constant in a `media.ts`, so that programs need neither a
 * build step nor permission to read files. `deno task media` updates these files, and a test checks that they are up to
 * date.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { rolldown } from "npm:rolldown@1.0.3";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** The media of a page. */
interface Media {
  /** The folder of the module that serves the page. */
  readonly folder: string;
  readonly style?: string;
  readonly script?: string;
  /** Whether the script is a module that pages import. */
  readonly isModule?: boolean;
}

const all: readonly Media[] = [
  { folder: "src/http/page", style: "src/browser/parts/page.css" },
  {
    folder: "src/core/app/dashboard",
    style: "src/browser/dashboard/page.css",
    script: "src/browser/dashboard/main.ts",
  },
  { folder: "src/middleware/monitor", style: "src/browser/monitor/page.css", script: "src/browser/monitor/main.ts" },
  { folder: "src/api/openapi/page", style: "src/browser/openapi/page.css", script: "src/browser/openapi/main.ts" },
  { folder: "src/live/websocket/client", script: "src/live/websocket/client/live.ts", isModule: true },
];

/**
 * Generates all files.
 *
 * @returns The text of each file by its path.
 */
export async function mediaFiles(): Promise<Map<string, string>> {
  const files = await Promise.all(all.map(async ({ folder, style, script, isModule = false }) => {
    const sources = [style, script].filter((source) => source !== undefined);
    const parts = [
      `/**\n * Generated from ${sources.map((source) => `\`${source}\``).join(" and ")} by \`deno task media\`.\n *\n` +
      " * @module\n */\n",
      ...style === undefined ? [] : [await declared("style", "The style sheet.", await shortStyle(style))],
      ...script === undefined ? [] : [await declared("script", "The script.", await bundledScript(script, isModule))],
    ];
    return [join(root, folder, "media.ts"), await formatted(parts.join("\n"))] as const;
  }));
  return new Map(files);
}

/** Returns the declaration of a style sheet or script, with its hash for the Content-Security-Policy. */
async function declared(name: string, summary: string, text: string): Promise<string> {
  if (/<\/(?:script|style)/i.test(text)) throw new Error(`Cannot put the ${name} into a page: it ends its element`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const medium = { text, hash: `sha256-${digest.toBase64()}` };
  return `/** ${summary} */\nexport const ${name}: { readonly text: string; readonly hash: string } = ${
    JSON.stringify(medium)
  };\n`;
}

/** Removes the comments and most of the whitespace of a style sheet. */
async function shortStyle(file: string): Promise<string> {
  const text = await Deno.readTextFile(join(root, file));
  return text.replace(/\/\*.*?\*\//gs, "").replace(/\s+/g, " ").replace(/ ?([{};,]) ?/g, "$1").replace(/: /g, ":")
    .replaceAll(";}", "}").trim();
}

async function bundledScript(file: string, isModule: boolean): Promise<string> {
  const built = await rolldown({ input: join(root, file), platform: "browser", tsconfig: false });
  // The name of the published class appears in stack traces.
  const keepNames = { class: isModule, function: false };
  const { output: [{ code }] } = await built.generate({
    format: isModule ? "es" : "iife",
    minify: { compress: { keepNames, target: "es2022" }, mangle: { keepNames } },
    comments: false,
  });
  await built.close();
  return code.trim();
}

async function formatted(text: string): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext=ts", "-"],
    stdin: "piped",
    stdout: "piped",
  });
  const child = command.spawn();
  await new Response(text).body?.pipeTo(child.stdin);
  return new TextDecoder().decode((await child.output()).stdout);
}

if (import.meta.main) {
  for (const [file, text] of await mediaFiles()) await Deno.writeTextFile(file, text);
}
