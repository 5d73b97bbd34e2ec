import { assertEquals } from "@std/assert";
import { newApp } from "../../examples/mail/main.ts";
import * as jobs from "../../src/jobs/mod.ts";
import * as mail from "../../src/mail/mod.ts";

Deno.test("examples/mail confirms an order in the customer's language", async () => {
  const memory = mail.NewMemory();
  const queue = jobs.New(jobs.NewMemory());
  const app = newApp(memory, queue);
  app.Logger().SetLevel("disable");
  const body = new URLSearchParams({ email: "ada@example.com", name: "Lovelace, Ada" });
  const headers = { "accept-language": "de-AT, en;q=0.5" };
  const response = await app.fetch(new Request("http://localhost/orders", { method: "POST", body, headers }));
  assertEquals([response.status, await response.json()], [201, { order: 1 }]);
  await queue.Drain();
  const { Subject, Text, HTML, To } = memory.Expect({ To: "ada@example.com", Attachment: "invoice-1.txt" });
  assertEquals([Subject, To[0]?.Name], ["Ihre Bestellung 1", "Lovelace, Ada"]);
  assertEquals(
    Text,
    "Guten Tag, Lovelace, Ada!\n\nIhre Bestellung: http://localhost:8080/orders/1\n\nViel Freude mit dem Tee\n",
  );
  assertEquals(HTML.includes('<html lang="de">'), true);
});
