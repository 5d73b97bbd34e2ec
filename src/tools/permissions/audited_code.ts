/**
 * The code that runs before an audited program.
 *
 * @module
 */

/** The name of the file that contains the code. */
export const PRELOAD = "fw_permissions_preload.mjs";

/** The start of the environment variable names that report started programs and queried permissions. */
export const STARTED = "fw started ";
export const QUERIED = "fw queried ";

/** The environment variables of the audit log. Child processes of the audited program must not inherit them. */
export const VARIABLES = ["DENO_AUDIT_PERMISSIONS", "DENO_TRACE_PERMISSIONS"] as const;

/**
 * Returns the source text of the code.
 *
 * Deno 2.9 does not write the programs that are started to the audit log, so the code requests an environment variable
 * whose name contains the program. Deno logs the request together with the stack trace, even if it denies it. Queries
 * of permissions are reported in the same way. Every process truncates the audit log at its start, so the variables are
 * removed for child processes.
 */
export function preloadSource(): string {
  return `import childProcess from "node:child_process";
import process from "node:process";
for (const name of ${JSON.stringify(VARIABLES)}) Deno.env.delete(name);
function report(message) {
  try {
    Deno.env.get(message);
  } catch {
    // The request is logged, even if it is denied.
  }
}
Deno.Command = new Proxy(Deno.Command, {
  construct(target, args, self) {
    report("${STARTED}" + args[0]);
    return Reflect.construct(target, args, self);
  },
});
function wrap(object, name, programOf, start = "${STARTED}") {
  const original = object[name];
  if (typeof original !== "function") return;
  object[name] = function (...args) {
    report(start + programOf(args));
    return original.apply(this, args);
  };
}
for (const name of ["spawn", "spawnAndWait", "spawnAndWaitSync"]) wrap(Deno, name, (args) => args[0]);
const permissions = Object.getPrototypeOf(Deno.permissions);
for (const name of ["query", "querySync"]) {
  wrap(permissions, name, ([{ name, ...rest }]) => JSON.stringify([name, ...Object.values(rest)]), "${QUERIED}");
}
// Signals require the permission to run all programs.
wrap(Deno, "kill", () => "");
wrap(process, "kill", () => "");
wrap(childProcess.ChildProcess.prototype, "spawn", ([options]) => options?.file);
const shell = Deno.build.os === "windows" ? "cmd.exe" : "/bin/sh";
for (const name of ["spawnSync", "execFileSync"]) {
  wrap(childProcess, name, (args) => args.at(-1)?.shell ? shell : args[0]);
}
wrap(childProcess, "execSync", () => shell);
`;
}
