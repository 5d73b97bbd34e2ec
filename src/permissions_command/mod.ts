/**
 * Finds the permissions that a program needs and writes them into the configuration file.
 *
 * ```sh
 * deno run -A jsr:@fw/web/permissions -- test          # the task "test", or deno test
 * deno run -A jsr:@fw/web/permissions -- start         # a server, until it is stopped with Ctrl+C
 * deno run -A jsr:@fw/web/permissions --check -- test  # in CI: fails if the tests request more
 * ```
 *
 * @module
 */

if (import.meta.main) {
  const { main } = await import("./main.ts");
  Deno.exitCode = await main(Deno.args);
}
