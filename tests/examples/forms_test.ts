import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import type * as fw from "../../mod.ts";
import { type Ask, bothWays, type Received } from "../serving.ts";

// The types of zod are not checked in this workspace member.
const { newApp } = await import(new URL("../../examples/forms/main.ts", import.meta.url).href);

function quiet(): fw.Application {
  const app = newApp();
  app.Logger().SetLevel("disable");
  return app;
}

function post(ask: Ask, path: string, fields: string[][], headers: Record<string, string> = {}): Promise<Received> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return ask(path, { method: "POST", headers: { ...type, ...headers }, body: String(new URLSearchParams(fields)) });
}

bothWays(
  "examples/forms shows an invalid form again with its errors and values, and responds with 422",
  quiet,
  async (ask) => {
    const empty = await ask("/");
    assertEquals(empty.status, 200);
    assertFalse(empty.text.includes('class="error"'));

    const typed = [["email", 'a"b<c>'], ["password", "short-1"], ["repeat", "short-1"]];
    const { status, headers, text } = await post(ask, "/", typed);
    assertEquals(status, 422);
    assertStringIncludes(headers.get("content-type") ?? "", "text/html");
    assertStringIncludes(text, 'value="a&quot;b&lt;c&gt;"');
    assertStringIncludes(text, '<p class="error" id="email-error">Enter an email address</p>');
    assertStringIncludes(text, '<p class="error" id="password-error">Use at least 8 characters</p>');
    assertFalse(text.includes("short-1"));
  },
);

bothWays("examples/forms redirects with 303 after a valid form, and rejects a taken address", quiet, async (ask) => {
  const fields = (email: string) => [["email", email], ["password", "engine-42"], ["repeat", "engine-42"]];
  const sent = await post(ask, "/", fields("eve@example.com"));
  assertEquals([sent.status, sent.headers.get("location")], [303, "/done?what=eve%40example.com"]);
  const again = await post(ask, "/", fields("eve@example.com"));
  assertEquals(again.status, 422);
  assertStringIncludes(again.text, "This address is already in use");
  assertStringIncludes(again.text, 'value="eve@example.com"');
  assertFalse(again.text.includes("engine-42"));
  assertEquals((await post(ask, "/", fields("eve@example.com"), { "sec-fetch-site": "cross-site" })).status, 403);
});

bothWays("examples/forms serves a form with a controller", quiet, async (ask) => {
  assertStringIncludes((await ask("/order")).text, 'value="100"');
  assertStringIncludes((await ask("/order")).text, 'type="text"');
  const { status, text } = await post(ask, "/order", [["tea", "Sencha"], ["grams", "1.5"], ["extras", "honey"]]);
  assertEquals(status, 422);
  assertStringIncludes(text, "Enter a whole number");
  assertStringIncludes(text, 'value="1.5"');
  assert(/<option selected>Sencha/.test(text) && /value="honey" checked/.test(text));
  assertFalse(/value="cup" checked/.test(text));
  const sent = await post(ask, "/order", [["tea", "Sencha"], ["grams", "50"]]);
  assertEquals([sent.status, sent.headers.get("location")], [303, "/done?what=50%20g%20of%20Sencha"]);
  const json = await ask("/order", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  assertEquals(json.status, 415);
});
