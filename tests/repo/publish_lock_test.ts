import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { startRegistry } from "../registry/jsr_server.ts";
import { publishStandIns, runDeno } from "../registry/publish_all.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("the publication bundles the locked versions of the standard library, or fails", async (t) => {
  await using registry = startRegistry();
  const folder = await Deno.makeTempDir({ prefix: "fw_locked_" });
  const env = { JSR_URL: registry.url, DENO_DIR: join(folder, "cache"), NO_COLOR: "1" };
  const lock = join(folder, "publish.lock");
  const publish = (file: string, version: string) => {
    const args = [
      "--no-test",
      `--lock=${file}`,
      "--allow-dirty",
      "--no-check",
      "--token=x",
      `--set-version=${version}`,
    ];
    return runDeno(["run", "-A", "tests/repo/publish.ts", ...args], root, env);
  };
  try {
    await publishStandIns({ root, folder: join(folder, "std"), env });
    await runDeno(["run", "-A", "tests/repo/publish_lock.ts", lock], root, env);
    const locked = JSON.parse(await Deno.readTextFile(lock));
    const [first = ""] = Object.keys(locked.jsr).filter((name) => name.startsWith("@std/path@"));
    assertMatch(locked.jsr[first].integrity, /^[0-9a-f]{64}$/);
    // This version is newer than the locked one, so publishing without the lock file would use it.
    await publishStandIns({ root, folder: join(folder, "newer"), env, version: "1.999.0" });
    assert(registry.published.includes("@std/path@1.999.0"));

    await t.step("a newer version in the registry has no effect", async () => {
      await publish(lock, "9.0.0");
      const licenses = await (await fetch(`${registry.url}@fw/web/9.0.0/js/LICENSES.md`)).text();
      assertStringIncludes(licenses, `- ${first}\n`);
      assertEquals(licenses.includes("1.999.0"), false);
    });
    await t.step("a lock file that does not name a package is not completed", async () => {
      const { [first]: _, ...others } = locked.jsr;
      const specifiers = Object.entries(locked.specifiers).filter(([name]) => !name.startsWith("jsr:@std/path@"));
      const short = join(folder, "short.lock");
      await Deno.writeTextFile(
        short,
        JSON.stringify({ ...locked, jsr: others, specifiers: Object.fromEntries(specifiers) }),
      );
      await assertRejects(() => publish(short, "9.0.1"), Error, "The lockfile is out of date");
    });
    await t.step("a package with another checksum is rejected", async () => {
      const forged = join(folder, "forged.lock");
      const other = { ...locked.jsr, [first]: { ...locked.jsr[first], integrity: "0".repeat(64) } };
      await Deno.writeTextFile(forged, JSON.stringify({ ...locked, jsr: other }));
      await assertRejects(() => publish(forged, "9.0.2"), Error, "Integrity check failed");
    });
    await t.step("a missing lock file is reported with its remedy", async () => {
      await assertRejects(() => publish(join(folder, "none.lock"), "9.0.3"), Error, 'write it with "deno task lock"');
    });
    const uploaded = registry.published.filter((name) => name.startsWith("@fw/web@"));
    assertEquals(uploaded, ["@fw/web@9.0.0"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
