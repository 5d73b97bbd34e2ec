/**
 * Short names of files, such as `ENV~1` for `.env`, on NTFS.
 *
 * @module
 */

/** Returns the short name of a file on Windows. It is the name itself if the file has no other one. */
export function windowsShortName(path: string): string {
  using kernel = new Library(Deno.dlopen("kernel32.dll", {
    GetShortPathNameW: { parameters: ["buffer", "buffer", "u32"], result: "u32" },
  }));
  const units = new Uint16Array(1024);
  const given = Uint16Array.from(`${path}\0`, (letter) => letter.charCodeAt(0));
  const length = kernel.loaded.symbols.GetShortPathNameW(given, units, units.length);
  const short = String.fromCharCode(...units.subarray(0, length));
  return short.slice(Math.max(short.lastIndexOf("\\"), short.lastIndexOf("/")) + 1);
}

/** Gives a file on a volume mounted by ntfs-3g a short name, as Windows does for every file. */
export function setShortName(path: string, name: string): void {
  using libc = new Library(Deno.dlopen("libc.so.6", {
    setxattr: { parameters: ["buffer", "buffer", "buffer", "usize", "i32"], result: "i32" },
  }));
  const [file, attribute, value] = [`${path}\0`, "system.ntfs_dos_name\0", name].map((text) =>
    new TextEncoder().encode(text)
  );
  if (file === undefined || attribute === undefined || value === undefined) return;
  const result = libc.loaded.symbols.setxattr(file, attribute, value, BigInt(value.length), 0);
  if (result !== 0) throw new Error(`Cannot set the short name of "${path}"`);
}

class Library<T extends Deno.ForeignLibraryInterface> implements Disposable {
  readonly loaded: Deno.DynamicLibrary<T>;

  constructor(loaded: Deno.DynamicLibrary<T>) {
    this.loaded = loaded;
  }

  [Symbol.dispose](): void {
    this.loaded.close();
  }
}
