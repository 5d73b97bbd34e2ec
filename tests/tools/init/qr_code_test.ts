import * as keys from "@fw/web/keys";
import { assertEquals } from "@std/assert";
import jsQR from "npm:jsqr@1.4.0";
import { openDatabase } from "./accounts/database.ts";
import { Factors } from "./accounts/factors.ts";
import { type Account, Accounts } from "./accounts/store.ts";

// The package exports the function itself, which its types do not say.
const read = jsQR as unknown as typeof jsQR.default;

/** Draws the squares of a picture, each as one pixel, and reads them. */
function scan(picture: string): string | undefined {
  const size = Number(/viewBox="0 0 (\d+)/.exec(picture)?.[1]);
  const scale = 4;
  const side = size * scale;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  const dark = Number(/h(\d+)v/.exec(picture)?.[1]);
  for (const [, left, top] of picture.matchAll(/M(\d+),(\d+)h/g)) {
    for (let y = Number(top) * scale; y < (Number(top) + dark) * scale; y++) {
      const start = (y * side + Number(left) * scale) * 4;
      for (let at = start; at < start + dark * scale * 4; at++) if (at % 4 !== 3) pixels[at] = 0;
    }
  }
  return read(pixels, side, side)?.data;
}

Deno.test("Factors.describe() draws a QR code that another program reads", () => {
  const factors = new Factors(new Accounts(openDatabase(":memory:")), keys.New(keys.Generate()), "tea.example");
  const account = { id: 7, mail: "ann+tea@example.com" } as Account;
  const { uri, picture, secret } = factors.describe(account, factors.create(7));
  assertEquals(scan(picture), uri);
  const { searchParams, pathname } = new URL(uri);
  assertEquals(decodeURIComponent(pathname), "/tea.example:ann+tea@example.com");
  assertEquals(searchParams.get("issuer"), "tea.example");
  assertEquals(searchParams.get("secret"), secret.replaceAll(" ", ""));
});
