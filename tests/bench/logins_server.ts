/** The server for the `logins` benchmark. It verifies passwords in one of several ways. Prints its port. */

import { argon2Verify } from "npm:hash-wasm@^4";
import { Buffer } from "node:buffer";
import { scrypt } from "node:crypto";
import * as fw from "../../mod.ts";
import * as auth from "../../src/middleware/auth.ts";

const [kind = "fw"] = Deno.args;
const hash = await auth.HashPassword("secret");

const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  fw: () => auth.VerifyPassword("secret", hash),
  "event loop": () => argon2Verify({ password: "secret", hash }),
  scrypt: () => new Promise((resolve) => scrypt("secret", Buffer.from("salt"), 64, (_error, key) => resolve(key))),
};

/** The longest time that the event loop did not run timers, in milliseconds. */
let stall = 0;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  stall = Math.max(stall, now - last - 5);
  last = now;
}, 5);

const app = fw.New();
app.Get("/ping", (ctx) => ctx.WriteString("pong"));
app.Get("/login", async (ctx) => {
  await ways[kind]?.();
  ctx.WriteString("welcome");
});
app.Get("/stall", (ctx) => {
  ctx.WriteString(String(stall));
  stall = 0;
});
function tell(address: Deno.Addr): void {
  if ("port" in address) Deno.stdout.writeSync(new TextEncoder().encode(`${address.port}\n`));
}
await app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog, fw.WithOnListen(tell));
