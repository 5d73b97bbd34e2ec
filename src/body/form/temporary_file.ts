/**
 * Temporary files that are removed when they are closed, regardless of how the process ends.
 *
 * @module
 */

/** An open temporary file. */
interface TemporaryFile {
  readonly file: Deno.FsFile;
  /** The path to remove when the file is closed, or `undefined` if the file is already unlinked. */
  readonly path: string | undefined;
}

/**
 * Opens a new temporary file for reading and writing.
 *
 * @returns The open file.
 */
export function openTemporary(): TemporaryFile {
  const path = createTemporary();
  const file = Deno.openSync(path, { read: true, write: true });
  // The file is unlinked while it is still open, so that it is removed no matter how the request or the process ends.
  // On Windows, too, it disappears with its last handle.
  try {
    Deno.removeSync(path);
    return { file, path: undefined };
  } catch {
    // Another program, such as a virus scanner, has the file open, or the file system does not allow this.
    return { file, path: removeLater(path) };
  }
}

const left = new Set<string>();

/** Removes a file when the process exits, unless it is removed before that. */
function removeLater(path: string): string {
  if (left.size === 0) globalThis.addEventListener("unload", removeLeft, { once: true });
  left.add(path);
  return path;
}

/**
 * Removes a temporary file after it was closed.
 *
 * @param path The path of the file.
 */
export function removeTemporary(path: string): void {
  left.delete(path);
  Deno.removeSync(path);
}

function removeLeft(): void {
  for (const path of left) {
    try {
      Deno.removeSync(path);
    } catch {
      // The file has already been removed.
    }
  }
}

function createTemporary(): string {
  try {
    return Deno.makeTempFileSync({ prefix: "fw-" });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // The platform's message does not say which folder is missing.
    throw new Deno.errors.NotFound(`The temporary folder does not exist: "${temporaryFolder()}"`, {
      cause: error,
    });
  }
}

/**
 * Returns the temporary folder according to the platform's rules, or the name of the environment variable if there is
 * no permission to read it.
 */
function temporaryFolder(): string {
  const variable = Deno.build.os === "windows" ? "TMP" : "TMPDIR";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  if (state !== "granted") return `$${variable}`;
  return Deno.env.get(variable) ?? (Deno.build.os === "windows" ? "%TEMP%" : "/tmp");
}
