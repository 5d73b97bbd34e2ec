import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { type AccountAttack, Ground, setCost } from "./ground.ts";
import { linkAttacks } from "./links.ts";
import { loginAttacks } from "./logins.ts";
import { raceAttacks } from "./races.ts";
import { requestAttacks } from "./requests.ts";
import { settingAttacks } from "./settings.ts";
import { takeoverAttacks } from "./takeovers.ts";
import { codeOf } from "./totp.ts";

/** The attacks on the application of `init --accounts`. */
const attacks: readonly AccountAttack[] = [
  ...linkAttacks,
  ...loginAttacks,
  ...settingAttacks,
  ...raceAttacks,
  ...requestAttacks,
  ...takeoverAttacks,
];

for (const { name, meetsHashes, run } of attacks) {
  Deno.test(`init --accounts resists an attack: ${name}`, async () => {
    // Delays must not end, and codes of apps must not change, while a busy machine pauses the attack.
    const now = Date.now();
    using _ = stub(Date, "now", () => now);
    setCost(meetsHashes ? "slow" : "fast");
    await run(new Ground());
  });
}

Deno.test("every attack on accounts has a unique name", () => {
  const names = attacks.map(({ name }) => name);
  assertEquals(names.filter((name, at) => names.indexOf(name) !== at), []);
});

Deno.test("codeOf(), the second implementation of TOTP, returns the codes of RFC 6238", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"; // 12345678901234567890
  const codes = { 59: "287082", 1111111109: "081804", 1234567890: "005924", 20000000000: "353130" };
  for (const [time, code] of Object.entries(codes)) assertEquals(codeOf(secret, Math.floor(Number(time) / 30)), code);
});
