/**
 * Generates the table of permissions in `examples/book/reference/permissions.md`: runs a program for each feature with the permissions
 * command, and replaces its resources with names. `deno task guide` updates the file, and a test compares it.
 *
 * @module
 */

import { basename, fromFileUrl, join } from "@std/path";
import { Flags } from "@fw/web/permissions";
import { freePort } from "../free_port.ts";
import { tlsFile } from "../http/server/support.ts";
import { Project } from "../tools/permissions/project.ts";

/** The page that contains the table. */
export const page: URL = new URL("../../examples/book/reference/permissions.md", import.meta.url);

const program = fromFileUrl(new URL("./permitted.ts", import.meta.url));

interface Feature {
  /** The first column. */
  readonly label: string;
  /** The programs in `permitted.ts` that use the feature. */
  readonly programs: readonly string[];
  /** The name of the resource: an address, or a path in the project. */
  readonly name: string;
  /** Returns the second column. Defaults to the flags. */
  show?(flags: string): string;
}

const features: readonly Feature[] = [
  { label: "`fw.Addr`", programs: ["fw.Addr"], name: "ADDRESS" },
  { label: "`fw.TLS`", programs: ["fw.TLS"], name: "ADDRESS" },
  { label: "`fw.Unix`", programs: ["fw.Unix"], name: "SOCKET" },
  {
    label: "`app.HandleDir`, `ctx.ServeFile`, views",
    programs: ["app.HandleDir", "ctx.ServeFile", "views"],
    name: "FOLDER",
  },
  { label: "`ctx.UploadFormFiles`", programs: ["ctx.UploadFormFiles"], name: "FOLDER" },
  { label: "Forms with files over `fw.WithPostMaxMemory`", programs: ["Forms with files"], name: "TMPDIR" },
  {
    label: "`@fw/web/sessions/sqlite`, `@fw/web/store/sqlite`, `@fw/web/live/sqlite`",
    programs: ["@fw/web/sessions/sqlite", "@fw/web/live/sqlite"],
    name: "FILE",
  },
  { label: "`@fw/web/sessions/redis`, `@fw/web/store/redis`", programs: ["@fw/web/sessions/redis"], name: "REDIS" },
  {
    label: "`@fw/web/live/redis`, `@fw/web/live/nats`",
    programs: ["@fw/web/live/redis", "@fw/web/live/nats"],
    name: "SERVER",
  },
  {
    label: "`@fw/web/sessions/kv`",
    programs: ["@fw/web/sessions/kv"],
    name: "FILE",
    show: (flags) => `\`--unstable-kv\`, and ${flags} for a file`,
  },
  { label: "`fw.Env`", programs: ["fw.Env"], name: "NAMES" },
  { label: "Log files", programs: ["Log files"], name: "FOLDER" },
  { label: "`jwt` with remote keys, `oauth`", programs: ["jwt", "oauth"], name: "PROVIDER" },
];

/** Generates the lines of the table, including its head. */
export async function permissionTable(): Promise<string[]> {
  const rows = [["Feature", "Flags"]];
  for (const { label, programs, name, show = String } of features) {
    const sets: string[] = [];
    for (const each of programs) sets.push(await flagsOf(each, name));
    // A row is only correct if all of its features need the same flags.
    rows.push([label, [...new Set(sets)].map((flags) => show(`\`${flags}\``)).join(" or ")]);
  }
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`);
  return lines.toSpliced(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
}

/** Returns the page with an up-to-date table. */
export async function currentPage(): Promise<string> {
  const lines = (await Deno.readTextFile(page)).split("\n");
  const start = lines.findIndex((line) => /^\| Feature +\| Flags/.test(line));
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.toSpliced(start, end - start, ...await permissionTable()).join("\n");
}

/** Returns the flags that the permissions command finds for a program. */
async function flagsOf(feature: string, name: string): Promise<string> {
  await using project = await Project.create({ "deno.json": "{}", "folder/a.txt": "a" });
  const address = `127.0.0.1:${freePort()}`;
  const certificate = join(project.folder, "localhost.crt");
  const key = join(project.folder, "localhost.key");
  await Deno.copyFile(tlsFile("localhost.crt"), certificate);
  await Deno.copyFile(tlsFile("localhost.key"), key);
  const places: Record<string, string> = { FOLDER: "folder", FILE: "file.db", SOCKET: "file.sock", TMPDIR: "" };
  const args = [program, feature, places[name] ?? address, `${certificate},${key}`];
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  const { code, err } = await project.command(
    "--",
    "run",
    "--unstable-kv",
    "--no-check",
    `--config=${config}`,
    ...args,
  );
  if (code !== 0) throw new Error(err);
  const set = await project.set("default") as Record<string, string[]>;
  const names: Record<string, string> = { [basename(certificate)]: "CERTIFICATE", [basename(key)]: "KEY" };
  const named = (value: string) =>
    Object.entries(names).find(([file]) => value.includes(file))?.[1] ??
      (value.startsWith("unix:") ? `unix:${name}` : name);
  const entries = Object.entries(set).map(([kind, values]) => [kind, [...new Set(values.map(named))]]);
  return Flags(Object.fromEntries(entries)).join(" ");
}

if (import.meta.main) await Deno.writeTextFile(page, await currentPage());
