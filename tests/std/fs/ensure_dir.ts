// The platform's own call and not node:fs, because the real package's errors are those of Deno.errors.

export async function ensureDir(dir: string | URL): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
}

export function ensureDirSync(dir: string | URL): void {
  Deno.mkdirSync(dir, { recursive: true });
}
