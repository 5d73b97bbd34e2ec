// Uses node:fs, which reports a missing file without an error class of its own.
import { existsSync as present, statSync } from "node:fs";
import { access, constants, stat } from "node:fs/promises";

/** Conditions that an existing path must satisfy. */
export interface ExistsOptions {
  isReadable?: boolean;
  isDirectory?: boolean;
  isFile?: boolean;
}

export async function exists(path: string | URL, options: ExistsOptions = {}): Promise<boolean> {
  try {
    await access(path, options.isReadable ? constants.R_OK : constants.F_OK);
    return fits(await stat(path), options);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT" || options.isReadable) return false;
    throw error;
  }
}

export function existsSync(path: string | URL, options: ExistsOptions = {}): boolean {
  return present(path) && fits(statSync(path), options);
}

function fits(info: { isFile(): boolean; isDirectory(): boolean }, options: ExistsOptions): boolean {
  return (!options.isFile || info.isFile()) && (!options.isDirectory || info.isDirectory());
}
