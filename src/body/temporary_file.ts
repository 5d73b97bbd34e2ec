/**
 * Temporary files that are gone when they are closed, however the process ends.
 *
 * @module
 */

/** An open temporary file. */
interface TemporaryFile {
  readonly file: Deno.FsFile;
  /** The path to remove when it is closed; `undefined` where the file has none any more. */
  readonly path: string | undefined;
}

/**
 * Opens a new temporary file for reading and writing.
 *
 * @returns The file.
 */
export function openTemporary(): TemporaryFile {
  const path = createTemporary();
  const file = Deno.openSync(path, { read: true, write: true });
  // Removed while it is open, the file is gone however the request or the process ends. Windows does not allow it.
  if (Deno.build.os === "windows") return { file, path };
  Deno.removeSync(path);
  return { file, path: undefined };
}

function createTemporary(): string {
  try {
    return Deno.makeTempFileSync({ prefix: "fw-" });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // The platform's message does not say which folder it is that is missing.
    throw new Deno.errors.NotFound(`The folder for temporary files does not exist: "${temporaryFolder()}"`, {
      cause: error,
    });
  }
}

/** The folder by the platform's rule; without the permission to read the variable, its name. */
function temporaryFolder(): string {
  const variable = Deno.build.os === "windows" ? "TMP" : "TMPDIR";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  if (state !== "granted") return `$${variable}`;
  return Deno.env.get(variable) ?? (Deno.build.os === "windows" ? "%TEMP%" : "/tmp");
}
