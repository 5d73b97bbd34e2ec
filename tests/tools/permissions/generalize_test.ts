import { assertEquals } from "@std/assert";
import type { PermissionRequest } from "../../../src/tools/permissions/audit_log.ts";
import { generalize } from "../../../src/tools/permissions/generalize.ts";
import type { Kind } from "../../../src/tools/permissions/permission_set.ts";
import { type Place, resourcesOf } from "../../../src/tools/permissions/resources.ts";

const linux: Place = {
  root: "/home/me/app",
  cwd: "/home/me/app",
  temp: "/tmp",
  isWindows: false,
  programs: ["/usr/local/bin", "/usr/bin"],
  exists: (path) => !path.includes("gone"),
};

const windows: Place = {
  root: "C:\\Users\\me\\app",
  cwd: "C:\\Users\\me\\app",
  temp: "C:\\Users\\me\\AppData\\Local\\Temp",
  isWindows: true,
  programs: ["C:\\Program Files\\Git\\bin"],
  exists: (path) => !path.includes("gone"),
};

/** Returns the values that are written for some requests. `true` means all resources. */
function written(place: Place, kind: Kind, ...values: (string | undefined)[]): (string | true)[] {
  const requests: PermissionRequest[] = values.map((value) => ({ kind, value, frames: [] }));
  return generalize(resourcesOf(requests, place), place).map(({ value }) => value ?? true);
}

Deno.test("generalize() writes paths in the project relative to it", () => {
  assertEquals(written(linux, "read", "./views", "data/a b.txt", "/etc/hosts", "file:///home/me/app/w%20x.ts"), [
    "./data/a b.txt",
    "./views",
    "./w x.ts",
    "/etc/hosts",
  ]);
  assertEquals(written(linux, "read", "."), ["."]);
  assertEquals(written(windows, "read", ".\\views", "c:\\users\\me\\APP\\data/a.txt", "file:///C:/Users/me/app/w.ts"), [
    "./data/a.txt",
    "./views",
    "./w.ts",
  ]);
  assertEquals(written(windows, "write", "D:\\app\\x", "\\\\server\\share\\y"), ["D:\\app\\x", "\\\\server\\share\\y"]);
});

Deno.test("generalize() writes the temporary folder as a whole, but not a project in it", () => {
  assertEquals(written(linux, "write", "<TMP>", "/tmp/a/1", "/tmp/b"), ["/tmp"]);
  assertEquals(written(windows, "write", "C:\\Users\\me\\AppData\\Local\\Temp\\a\\1"), [windows.temp]);
  assertEquals(written({ ...linux, root: "/tmp/app", cwd: "/tmp/app" }, "write", "data/x"), ["./data/x"]);
});

Deno.test("generalize() writes the folder of files that are gone or have many siblings, but never the project", () => {
  assertEquals(written(linux, "write", "uploads/gone/a.part"), ["./uploads"]);
  assertEquals(written(linux, "read", ".gone"), ["./.gone"]);
  assertEquals(written(linux, "read", "views/a", "views/b", "views/c"), ["./views/a", "./views/b", "./views/c"]);
  assertEquals(written(linux, "read", "views/a", "views/b", "views/c", "views/d"), ["./views"]);
  assertEquals(written(linux, "read", "a", "b", "c", "d").length, 4);
  assertEquals(written(linux, "read", "/etc/a", "/etc/b", "/etc/c", "/etc/d").length, 4);
  assertEquals(written(linux, "read", "views", "views/a", "viewsb"), ["./views", "./viewsb"]);
});

Deno.test("generalize() writes hosts with their port, except for ports that are different in each run", () => {
  assertEquals(written(linux, "net", "https://a.example/x", "ws://b.example", "c.example:5432"), [
    "a.example:443",
    "b.example:80",
    "c.example:5432",
  ]);
  assertEquals(written(linux, "net", "0.0.0.0:8080", "[::1]:8080"), ["0.0.0.0:8080", "[::1]:8080"]);
  assertEquals(written(linux, "net", "127.0.0.1:0", "http://127.0.0.1:40123/", "localhost:40123", "a.example:443"), [
    "127.0.0.1",
    "a.example:443",
    "localhost",
  ]);
  assertEquals(written(linux, "net", "127.0.0.1:40123"), ["127.0.0.1:40123"]);
  assertEquals(written(linux, "net", "unix:/run/app.sock"), ["unix:/run/app.sock"]);
  assertEquals(written(linux, "import", "https://a.example/mod.ts", "https://a.example/b.ts"), ["a.example:443"]);
});

Deno.test("generalize() writes programs by name if the name locates them", () => {
  assertEquals(written(linux, "run", "/usr/bin/gone", "git"), ["/usr/bin/gone", "git"]);
  assertEquals(written(linux, "run", "/usr/bin/git"), ["/usr/bin/git"]);
  assertEquals(written(linux, "run", "/usr/local/bin/git"), ["git"]);
  assertEquals(written(linux, "run", "/home/me/app/bin/x"), ["./bin/x"]);
  assertEquals(written(windows, "run", "C:\\Program Files\\Git\\bin\\git.exe"), ["git"]);
});

Deno.test("generalize() writes names, libraries and requests without a name", () => {
  assertEquals(written(linux, "env", "B", "A", "B"), ["A", "B"]);
  assertEquals(written(linux, "env", "A", undefined), [true]);
  assertEquals(written(linux, "sys", "hostname"), ["hostname"]);
  assertEquals(written(linux, "ffi", "./lib/a.so", "libc.so.6"), ["./lib/a.so", "libc.so.6"]);
});

Deno.test("resourcesOf() names the code that requested a permission, and the line in the project that called it", () => {
  const sites = (place: Place, ...frames: string[]) =>
    resourcesOf([{ kind: "env", value: "A", frames }], place).flatMap((entry) => entry.sites);
  assertEquals(sites(linux), ["unknown code"]);
  assertEquals(sites(linux, "file:///home/me/app/a%20b.ts:3", "file:///home/me/app/main.ts:1"), ["a b.ts:3"]);
  assertEquals(sites(linux, "file:///home/me/app/node_modules/x/i.js:3", "file:///home/me/app/main.ts:1"), [
    "node_modules/x/i.js:3, called by main.ts:1",
  ]);
  assertEquals(sites(linux, "https://x.example/100%.ts:3"), ["https://x.example/100%.ts:3"]);
  assertEquals(sites(linux, "file:///opt/100%/x.ts:3", "file:///home/me/app/main.ts:1"), [
    "/opt/100%/x.ts:3, called by main.ts:1",
  ]);
  assertEquals(sites(windows, "file:///D:/cache/x.ts:3", "file:///C:/Users/me/app/src/main.ts:1"), [
    "D:\\cache\\x.ts:3, called by src/main.ts:1",
  ]);
});
