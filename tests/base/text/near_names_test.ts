import { assertEquals } from "@std/assert";
import { nearNames } from "../../../src/base/text/near_names.ts";

Deno.test("nearNames() finds misspelled names, with the closest one first", () => {
  const names = ["users.html", "user.html", "orders.html", "index.html"];
  assertEquals(nearNames("usr.html", names), ["user.html", "users.html"]);
  assertEquals(nearNames("indxe.html", names), ["index.html"]);
});

Deno.test("nearNames() finds the same file in another folder or in another case", () => {
  assertEquals(nearNames("index.html", ["pages/index.html", "pages/about.html"]), ["pages/index.html"]);
  assertEquals(nearNames("Pages/Index.html", ["pages/index.html"]), ["pages/index.html"]);
});

Deno.test("nearNames() returns at most three similar names", () => {
  assertEquals(nearNames("a.html", ["b.html", "c.html", "d.html", "e.html"]), ["b.html", "c.html", "d.html"]);
  assertEquals(nearNames("../../etc/passwd", ["user.html"]), []);
  assertEquals(nearNames("x", []), []);
});
