import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

Deno.test("Context.Signal() and everything that uses it print nothing if the response is ready soon", async () => {
  const program = fromFileUrl(new URL("./quiet_signal.ts", import.meta.url));
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", "--unstable-kv", program],
    signal: AbortSignal.timeout(60_000),
  }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  assertEquals(lines, [
    "/signal 200 signal",
    "/close 200 close",
    "/stream 200 ab",
    "/failed 500 Internal Server Error",
    "/mounted/x 200 false",
    "/inner/signal 200 inner",
    "proxy 200 plain",
    "post 200 ok",
    "poll 200 40",
    "mcp 200 true",
  ]);
  assertEquals(new TextDecoder().decode(stderr), "");
});
