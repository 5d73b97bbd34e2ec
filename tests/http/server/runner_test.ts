import { assertEquals } from "@std/assert";
import { Addr, TLS, Unix } from "../../../src/http/server/runner.ts";

Deno.test("Addr(), TLS() and Unix() read and open nothing before the server starts", () => {
  const key = new URL("file:///none.key");
  assertEquals(Addr("nonsense"), { Kind: "addr", Address: "nonsense" });
  assertEquals(TLS(":443", "none.crt", key), { Kind: "tls", Address: ":443", Certificate: "none.crt", Key: key });
  assertEquals(Unix("/none/at/all.sock"), { Kind: "unix", Path: "/none/at/all.sock" });
});
