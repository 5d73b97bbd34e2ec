import { assertEquals } from "@std/assert";
import { quiet } from "../../serving.ts";

Deno.test("Context.Scheme() and AbsoluteURI() without a proxy are those of the request", async () => {
  const app = quiet();
  app.Get(
    "/a/b",
    (ctx) => ctx.JSON([ctx.Scheme(), ctx.AbsoluteURI(""), ctx.AbsoluteURI("c"), ctx.AbsoluteURI("/d?e")]),
  );
  const response = await app.fetch(new Request("https://x.example:8443/a/b?q=1"));
  assertEquals(await response.json(), [
    "https",
    "https://x.example:8443/a/b?q=1",
    "https://x.example:8443/a/c",
    "https://x.example:8443/d?e",
  ]);
});
