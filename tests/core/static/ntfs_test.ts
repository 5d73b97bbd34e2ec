import { assertEquals } from "@std/assert";
import { basename, dirname, join } from "@std/path";
import type { Group } from "../../hardening/attack.ts";
import { runGroup } from "../../hardening/runner.ts";
import { attacks } from "../../hardening/table.ts";
import { Target } from "../../hardening/target.ts";
import { assertTrueNames, laySite } from "./aliases.ts";
import { Volume, whyNoVolume } from "./ntfs_volume.ts";
import { setShortName } from "./short_names.ts";

/** The groups of attacks that use files. */
const fileGroups: readonly Group[] = ["files", "uploads"];

const why = whyNoVolume();
const suffix = why === "" ? "" : ` (skipped: ${why})`;

Deno.test({
  name: `Party.HandleDir() and Context.ServeFile() serve no short names on NTFS${suffix}`,
  ignore: why !== "",
  async fn() {
    await using volume = await Volume.mount("ntfs-3g");
    const names = new Map<string, string>();
    for (const path of await laySite(volume.path)) {
      const name = `${basename(path).replaceAll(/[^A-Za-z]/g, "").toUpperCase().slice(0, 5)}~${names.size + 1}`;
      setShortName(path, name);
      names.set(path, name);
      // The file system knows the file under this name.
      await Deno.stat(join(dirname(path), name));
    }
    await assertTrueNames(volume.path, (path) => names.get(path));
  },
});

Deno.test({
  name: `Party.HandleDir() and Context.ServeFile() serve no other letter case on NTFS${suffix}`,
  ignore: why !== "",
  async fn() {
    await using volume = await Volume.mount("lowntfs-3g");
    await laySite(volume.path);
    assertEquals((await Deno.stat(join(volume.path, "SITE/APP.js"))).isFile, true);
    await assertTrueNames(volume.path, () => undefined);
  },
});

for (const group of fileGroups) {
  Deno.test({
    name: `Application resists the attacks in the group "${group}" with its files on NTFS${suffix}`,
    ignore: why !== "",
    async fn() {
      await using volume = await Volume.mount("ntfs-3g");
      await using subject = await Target.start("subject.ts", { FW_TEST_GROUNDS: volume.path });
      const failed = (await runGroup(subject, attacks, group)).filter(({ result }) => result !== "held");
      assertEquals(failed.map(({ name, reason }) => `${name}\n  ${reason}`), []);
    },
  });
}
