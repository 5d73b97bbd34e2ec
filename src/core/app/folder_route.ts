/**
 * Creates the routes of a folder. The file server is loaded during the build if the application serves a folder.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { either, filled, flag, func, kind, type Option, text } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Context } from "../context/context.ts";
import { noteFacts } from "../exchange/handler_facts.ts";
import type { DirHandler } from "../static/dir_handler.ts";
import type { DirOptions } from "../static/options.ts";
import type { PartyRecord, Registry } from "./record/registry.ts";
import { ownedPaths } from "./record/served_prefixes.ts";

/** A folder to serve. */
interface ServedFolder {
  readonly path: string;
  readonly dir: string | URL;
  readonly options: DirOptions;
  /** The party that serves the folder. */
  readonly party: PartyRecord;
}

/** The handlers for the folder itself and for everything inside it. */
interface FolderHandlers {
  readonly root: (ctx: Context) => Promise<void>;
  readonly below: (ctx: Context) => Promise<void>;
}

const table = optionTable<DirOptions>("DirOptions", "HandleDir")({
  IndexName: text("index.html"),
  SPA: flag(false),
  ShowList: flag(false),
  ShowHidden: flag(false),
  FollowLinks: flag(false),
  Cache: either(undefined, filled(), func()),
  Attachments: flag(false),
  Compressed: flag(true),
});
/** The rule for the paths of files and folders. */
export const pathRule: Option<string | URL, undefined> = kind(
  "a path or a file: URL",
  (dir) => dir instanceof URL ? dir.protocol === "file:" : typeof dir === "string" && dir !== "",
  undefined,
);

/** The name of the catch-all parameter. */
export const restOfPath = "fw_file";

/** Prepares a folder to be served. The folder is opened when the application is built. */
export function folderHandlers(registry: Registry, { path, dir, options, party }: ServedFolder): FolderHandlers {
  checkArgument(dir, pathRule, "dir", "HandleDir");
  const settings = readOptions(table, options);
  const yieldsAt = settings.SPA ? ownedPaths(registry, party) : undefined;
  let handler: DirHandler | undefined;
  async function open(): Promise<void> {
    const loaded = await loadModule(() => import("../static/dir_handler.ts"));
    handler = new loaded.DirHandler(dir, settings, yieldsAt);
    await handler.check();
  }
  registry.app?.Install({ Name: "static", Many: true, Install: (host) => host.Check(path, open, "start") });
  async function serve(ctx: Context, below: string): Promise<void> {
    if (handler === undefined) {
      throw new FrameworkError("FW_STATE", `Cannot serve "${path}": the application has not been built`);
    }
    await handler.serve(ctx, below);
  }
  return {
    root: function serveFolder(ctx: Context): Promise<void> {
      return serve(ctx, "");
    },
    below: noteFacts(function serveFolder(ctx: Context): Promise<void> {
      return serve(ctx, ctx.Params().Get(restOfPath));
    }, { yieldsAt }),
  };
}
