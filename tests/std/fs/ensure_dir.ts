// Uses Deno's API instead of node:fs, because the real package throws Deno's errors. The exception is its own error for
// a path that exists but is not a folder.

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
