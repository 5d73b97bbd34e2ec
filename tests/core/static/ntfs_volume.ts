/**
 * An NTFS volume in an image, mounted with FUSE.
 *
 * @module
 */

import { join } from "@std/path";

/** Returns the reason why no volume can be mounted here, or an empty string. */
export function whyNoVolume(): string {
  if (Deno.build.os !== "linux") return "NTFS images are mounted on Linux only";
  for (const program of ["mkntfs", "ntfs-3g", "lowntfs-3g", "fusermount"]) {
    try {
      new Deno.Command("which", { args: [program] }).outputSync().success || throwMissing(program);
    } catch {
      return `${program} is not installed`;
    }
  }
  try {
    Deno.openSync("/dev/fuse", { read: true, write: true }).close();
  } catch {
    return "FUSE is not available";
  }
  return "";
}

function throwMissing(program: string): never {
  throw new Deno.errors.NotFound(program);
}

/** A mounted volume. It is unmounted and removed when it is disposed of. */
export class Volume implements AsyncDisposable {
  readonly #folder: string;
  /** The folder in which the volume is mounted. */
  readonly path: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, "volume");
  }

  /** Mounts an empty volume with one of the two drivers. `lowntfs-3g` ignores the case of letters. */
  static async mount(driver: "ntfs-3g" | "lowntfs-3g"): Promise<Volume> {
    const volume = new Volume(await Deno.makeTempDir({ prefix: "fw_ntfs_" }));
    const image = join(volume.#folder, "image");
    await Deno.mkdir(volume.path);
    await Deno.create(image).then((file) => file.close());
    await Deno.truncate(image, 32 << 20);
    await run("mkntfs", "--quick", "--quiet", "--force", image);
    await run(driver, ...driver === "lowntfs-3g" ? ["-o", "ignore_case"] : [], image, volume.path);
    return volume;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run("fusermount", "-u", "-z", this.path);
    await Deno.remove(this.#folder, { recursive: true });
  }
}

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
}
