// deno-lint-ignore-file no-console -- the test that starts this program reads its output
/**
 * Runs Vite in the current folder. It is a separate process, because Vite starts threads that only end with the
 * process.
 *
 * @module
 */

import { build, createServer } from "npm:vite@~8.0.16";

const [mode, port] = Deno.args;
if (mode === "build") {
  await build({ logLevel: "warn" });
} else {
  const server = await createServer({ logLevel: "warn", server: { host: "127.0.0.1", port: Number(port) } });
  await server.listen();
  console.log(`port ${port}`);
}
