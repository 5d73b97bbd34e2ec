// The platform's own call and not node:fs, because the real package's errors are those of Deno; but for a path that
// something else than a folder has, of which it tells with an error of its own.

export async function ensureDir(dir: string | URL): Promise<void> {
  try {
    await Deno.mkdir(dir, { recursive: true });
  } catch (error) {
    throw await Deno.stat(dir).then(() => notFolder(error), () => error);
  }
}

export function ensureDirSync(dir: string | URL): void {
  try {
    Deno.mkdirSync(dir, { recursive: true });
  } catch (error) {
    throw notFolder(error);
  }
}

function notFolder(error: unknown): unknown {
  if (!(error instanceof Deno.errors.AlreadyExists)) return error;
  return new Error("Failed to ensure directory exists, expected 'dir', got 'file'");
}
