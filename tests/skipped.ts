/**
 * Tests that some systems cannot run.
 *
 * @module
 */

/** Returns the reason to skip a test on Windows, or `undefined` on other systems. */
export function onWindows(reason: string): string | undefined {
  return Deno.build.os === "windows" ? reason : undefined;
}

/** Returns the reason to skip a test on all systems but Linux, or `undefined` on Linux. */
export function exceptOnLinux(reason: string): string | undefined {
  return Deno.build.os === "linux" ? undefined : reason;
}

/** The reason to skip a test that needs symbolic links, or `undefined` if this process can create them. */
export const linksAreMissing: string | undefined = canLink() ? undefined : "symbolic links cannot be created here";

/**
 * Registers a test, which is skipped if there is a reason. The reason is a part of its name.
 *
 * @param reason The reason to skip the test.
 * @param name The name.
 * @param fn The test.
 */
export function testUnless(reason: string | undefined, name: string, fn: Deno.TestDefinition["fn"]): void {
  if (reason === undefined) Deno.test(name, fn);
  else Deno.test({ name: `${name} (skipped: ${reason})`, ignore: true, fn });
}

/** Reports whether links can be created. Windows requires a privilege, and Wine creates none without reporting it. */
function canLink(): boolean {
  if (Deno.build.os !== "windows") return true;
  const folder = Deno.makeTempDirSync();
  try {
    Deno.symlinkSync(folder, `${folder}/link`, { type: "dir" });
    return Deno.lstatSync(`${folder}/link`).isSymlink;
  } catch {
    return false;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
