import { assertEquals } from "@std/assert";
import { parseAuditLog } from "../../../src/tools/permissions/audit_log.ts";
import { PRELOAD, QUERIED, STARTED, VARIABLES } from "../../../src/tools/permissions/audited_code.ts";

const preload = `report (file:///tmp/x/${PRELOAD}:5:10)`;
const env = "Object.getEnv [as get] (ext:deno_os/30_os.js:1:1291)";

function lines(...entries: [permission: string, value: string | null, ...stack: string[]][]): string {
  const texts = entries.map(([permission, value, ...stack]) => JSON.stringify({ v: 1, permission, value, stack }));
  return `${texts.join("\n")}\n`;
}

Deno.test("parseAuditLog() returns the requests with the frames of the program", () => {
  const text = lines(
    ["env", "A", env, "go (file:///app/a b/main.ts:3:16)", "async file:///app/main.ts:9:1"],
    ["net", null, "at https://x.example/mod.ts:1:2"],
    ["import", "https://x.example/"],
  );
  assertEquals(parseAuditLog(`${text}{"v":1,"permis`).needed, [
    { kind: "env", value: "A", frames: ["file:///app/a b/main.ts:3", "file:///app/main.ts:9"] },
    { kind: "net", value: undefined, frames: ["https://x.example/mod.ts:1"] },
    { kind: "import", value: "https://x.example/", frames: [] },
  ]);
});

Deno.test("parseAuditLog() reads the reports of the preloaded code and drops its own requests", () => {
  const main = "file:///app/main.ts:9:1";
  const text = lines(
    ...VARIABLES.map((name): [string, string, string, string] => ["env", name, env, preload]),
    ["env", `${STARTED}git`, env, preload, main],
    ["env", STARTED, env, preload, main],
    ["read", "jobs.db", env, preload],
  );
  assertEquals(parseAuditLog(text).needed, [
    { kind: "run", value: "git", frames: ["file:///app/main.ts:9"] },
    { kind: "run", value: undefined, frames: ["file:///app/main.ts:9"] },
    { kind: "read", value: "jobs.db", frames: [] },
  ]);
});

Deno.test("parseAuditLog() separates requests of files that query the permission first", () => {
  const text = lines(
    ["env", `${QUERIED}["env","A"]`, env, preload, "file:///app/lib.ts:1:1"],
    ["env", `${QUERIED}["read"]`, env, preload, "file:///app/lib.ts:2:1"],
    ["env", "A", env, "file:///app/lib.ts:3:1"],
    ["env", "A", env, "file:///app/main.ts:3:1"],
    ["env", "B", env, "file:///app/lib.ts:4:1"],
    ["read", "/x", "open (ext:deno_fs/30_fs.js:1:1)", "file:///app/lib.ts:5:1"],
  );
  const { needed, optional } = parseAuditLog(text);
  assertEquals(optional.map(({ kind, frames }) => [kind, ...frames]), [["env", "file:///app/lib.ts:3"], [
    "read",
    "file:///app/lib.ts:5",
  ]]);
  assertEquals(needed.map(({ kind, frames }) => [kind, ...frames]), [["env", "file:///app/main.ts:3"], [
    "env",
    "file:///app/lib.ts:4",
  ]]);
});
