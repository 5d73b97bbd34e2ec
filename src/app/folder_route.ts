/**
 * Creates the routes of a folder. The file server is loaded during the build if the application serves a folder.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import { FrameworkError } from "../errors/errors.ts";
import type { DirHandler } from "../static/dir_handler.ts";
import type { DirOptions } from "../static/options.ts";
import type { Registry } from "./record/registry.ts";

/** A folder to serve. */
interface ServedFolder {
  readonly path: string;
  readonly dir: string | URL;
  readonly options: DirOptions;
}

/** The handlers for the folder itself and for everything inside it. */
interface FolderHandlers {
  readonly root: (ctx: Context) => Promise<void>;
  readonly below: (ctx: Context) => Promise<void>;
}

/** The name of the catch-all parameter. */
export const restOfPath = "fw_file";

/** Prepares a folder to be served. The folder is opened when the application is built. */
export function folderHandlers(registry: Registry, { path, dir, options }: ServedFolder): FolderHandlers {
  let handler: DirHandler | undefined;
  registry.loads.push(async () => {
    const loaded = await import("../static/dir_handler.ts");
    handler = new loaded.DirHandler(dir, options);
    await handler.check();
  });
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
    below: function serveFolder(ctx: Context): Promise<void> {
      return serve(ctx, ctx.Params().Get(restOfPath));
    },
  };
}
