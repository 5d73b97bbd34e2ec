import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";

const shopName = mvc.Token<string>("shop name");

class LoanController {
  PostByLoan(id = 0, member = mvc.Inject(userID), shop = mvc.Inject(shopName)) {
    const sum: number = id + member;
    return { sum, shop: shop.toUpperCase() };
  }
}

function userID(ctx: fw.Context): number {
  return Number(ctx.GetHeader("x-user"));
}

Deno.test("Client has no parameters for injected strings and numbers", async () => {
  const app = fw.New();
  mvc.New(app.Party("/loans")).Register(userID, mvc.Provide(shopName, "city")).Handle(LoanController);
  const loans = client.New<LoanController>("http://localhost/loans", {
    Fetch: app.fetch,
    Headers: { "x-user": "7" },
  });
  const [value] = await loans.PostByLoan(1);
  assertEquals(value, { sum: 8, shop: "CITY" });
  // @ts-expect-error -- the second argument is injected by the server
  const wrong = () => loans.PostByLoan(1, 7);
  assertEquals(typeof wrong, "function");
});
