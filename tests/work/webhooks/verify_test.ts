import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createHmac } from "node:crypto";
import { Webhook } from "npm:standardwebhooks@^1";
import Stripe from "npm:stripe@^23";
import * as fw from "@fw/web";
import * as openapi from "@fw/web/openapi";
import * as store from "@fw/web/store";
import * as webhooks from "@fw/web/webhooks";
import { overSocket, quiet } from "../../serving.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const older = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const text = '{"type":"paid","name":"Zoë","n": 1.0}';

type Headers = Record<string, string>;

/** Signs a body with the library of the standard. */
function standard(body = text, key = secret, at = new Date(), id = "msg_1"): Headers {
  const signature = new Webhook(key).sign(id, at, body);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signature,
  };
}

function hmac(body: string, key: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(body).digest(encoding);
}

const stripe = new Stripe("sk_test_none");

const schemes: Record<
  string,
  { options: webhooks.VerifyOptions; headers: (body?: string, key?: string) => Headers | Promise<Headers> }
> = {
  standard: { options: { Secret: secret }, headers: (body, key) => standard(body, key) },
  stripe: {
    options: { Secret: secret, Scheme: "stripe" },
    headers: async (payload = text, key = secret) => ({
      "stripe-signature": await stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: key }),
    }),
  },
  github: {
    options: { Secret: secret, Scheme: "github" },
    headers: (body = text, key = secret) => ({ "x-hub-signature-256": `sha256=${hmac(body, key, "hex")}` }),
  },
  shopify: {
    options: { Secret: secret, Scheme: "shopify" },
    headers: (body = text, key = secret) => ({ "x-shopify-hmac-sha256": hmac(body, key, "base64") }),
  },
  "a custom header": {
    options: { Secret: secret, Scheme: { Header: "X-Signature", Prefix: "v0:", Encoding: "base64" } },
    headers: (body = text, key = secret) => ({ "x-signature": `v0:${hmac(body, key, "base64")}` }),
  },
};

/** Creates an application that counts the accepted webhooks. */
function newApp(options: webhooks.VerifyOptions, handler?: fw.Handler): { app: fw.Application; runs: string[] } {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const runs: string[] = [];
  app.Post("/hook", webhooks.Verify(options), async (ctx) => {
    const [body] = await ctx.GetBody();
    runs.push(new TextDecoder().decode(body));
    const [value] = await ctx.ReadJSON<{ type: string }>();
    return handler === undefined ? ctx.WriteString(`${value?.type}`) : await handler(ctx);
  });
  return { app, runs };
}

async function post(app: fw.Application, headers: Headers, body: BodyInit = text): Promise<Response> {
  const all = { "content-type": "application/json", ...headers };
  return await app.fetch(new Request("http://localhost/hook", { method: "POST", headers: all, body }));
}

for (const [name, { options, headers }] of Object.entries(schemes)) {
  Deno.test(`Verify() accepts a webhook signed as ${name} over a socket, and handlers can read its body`, async () => {
    const { app, runs } = newApp(options);
    await overSocket(app, async (ask) => {
      const signed = { "content-type": "application/json", ...await headers() };
      const response = await ask("/hook", { method: "POST", headers: signed, body: text });
      assertEquals([response.status, response.text, runs], [200, "paid", [text]]);
    });
  });

  Deno.test(`Verify() rejects a webhook as ${name} with another body, secret or signature, or without one`, async () => {
    const { app, runs } = newApp(options);
    const signed = await headers();
    const name = Object.keys(signed).at(-1) ?? "";
    const forged = { ...signed, [name]: `${signed[name]?.slice(0, -6)}AAAAAA` };
    const cases: [Headers, BodyInit][] = [
      [signed, `${text} `],
      [await headers(text, older), text],
      [forged, text],
      [{}, text],
    ];
    for (const [sent, body] of cases) {
      const response = await post(app, sent, body);
      assertEquals([response.status, response.headers.get("www-authenticate")], [401, "Webhook"]);
      assertStringIncludes(await response.text(), "Cannot accept the webhook: ");
    }
    assertEquals(runs, []);
  });

  Deno.test(`Verify() accepts each webhook as ${name} once, also concurrently`, async () => {
    const shared = store.NewMemory();
    const { app, runs } = newApp({ ...options, Store: shared });
    const other = newApp({ ...options, Store: shared });
    const signed = await headers();
    const all = await Promise.all([app, app, other.app].map((each) => post(each, signed)));
    assertEquals(all.map(({ status }) => status).sort(), [200, 409, 409]);
    assertEquals((await post(app, signed)).status, 409);
    assertEquals(runs.length + other.runs.length, 1);
  });

  Deno.test(`Verify() lets the sender of ${name} repeat a webhook whose handler failed`, async () => {
    const failures: fw.Handler[] = [
      () => {
        throw new Error("on purpose");
      },
      () => new Response("busy", { status: 503 }),
      (ctx) => ctx.StopWithStatus(500),
    ];
    const { app, runs } = newApp(options, (ctx) => failures.pop()?.(ctx) ?? ctx.WriteString("ok"));
    const signed = await headers();
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++) statuses.push((await post(app, signed)).status);
    assertEquals(statuses, [500, 503, 500, 200, 409]);
    assertEquals(runs.length, 4);
  });

  Deno.test(`Verify() lets the sender of ${name} repeat a webhook if an application around it failed`, async () => {
    let failures = 2;
    const { app, runs } = newApp(options);
    const outer = quiet();
    outer.Use(async (ctx) => {
      await ctx.Next();
      if (failures-- > 0) throw new Error("on purpose");
    });
    outer.Mount("/", app);
    const signed = await headers();
    const statuses: number[] = [];
    for (let at = 0; at < 4; at++) statuses.push((await post(outer, signed)).status);
    assertEquals(statuses, [500, 500, 200, 409]);
    assertEquals(runs.length, 3);
  });

  Deno.test(`Verify() accepts two secrets of ${name} during a rotation`, async () => {
    const { Secret: _, ...rest } = options;
    const { app } = newApp({ ...rest, Secrets: [secret, older] });
    assertEquals((await post(app, await headers(text, older))).status, 200);
    assertEquals((await post(app, await headers("[]", secret), "[]")).status, 200);
    assertEquals((await post(app, await headers("{}", "whsec_c29tZXRoaW5nIGVsc2U="), "{}")).status, 401);
  });
}

Deno.test("Verify() rejects a replay that omits or adds signatures", async () => {
  const { app, runs } = newApp({ Secrets: [secret, older] });
  const at = new Date();
  const [one, two] = [standard(text, secret, at), standard(text, older, at)];
  const [first = "", second = ""] = [one["webhook-signature"], two["webhook-signature"]];
  const lists = [`${first} ${second}`, first, second, `v1a,abc ${second} v1,`];
  const statuses = [];
  for (const list of lists) statuses.push((await post(app, { ...one, "webhook-signature": list })).status);
  assertEquals([statuses, runs.length], [[200, 409, 409, 409], 1]);
});

Deno.test("Verify() does not take the request ID of a forged webhook for a replay", async () => {
  const { app } = newApp({ Secret: secret });
  assertEquals((await post(app, { ...standard(), "webhook-signature": "v1,AAAA" })).status, 401);
  assertEquals((await post(app, standard())).status, 200);
});

Deno.test("Verify() rejects timestamps that are malformed, too old or too new", async () => {
  const { app, runs } = newApp({ Secret: secret, Tolerance: 60_000 });
  for (const [seconds, status] of [[-70, 401], [70, 401], [-50, 200], [50, 200]] as const) {
    assertEquals((await post(app, standard(text, secret, new Date(Date.now() + seconds * 1000)))).status, status);
  }
  for (const time of ["", "x", "-1", "1e9", "NaN", "9".repeat(400), "1, 2"]) {
    assertEquals((await post(app, { ...standard(), "webhook-timestamp": time })).status, 400, time);
  }
  const { app: other } = newApp({ Secret: secret, Scheme: "stripe" });
  assertEquals((await post(other, { "stripe-signature": "v1=00" })).status, 400);
  assertEquals(runs.length, 2);
});

Deno.test("Verify() binds the timestamp and the ID to the signature", async () => {
  const { app } = newApp({ Secret: secret });
  const signed = standard();
  const time = String(Number(signed["webhook-timestamp"]) + 1);
  assertEquals((await post(app, { ...signed, "webhook-timestamp": time })).status, 401);
  assertEquals((await post(app, { ...signed, "webhook-id": "msg_2" })).status, 401);
});

Deno.test("Verify() rejects bodies over the limit with 413, also if they are sent in chunks", async () => {
  const { app, runs } = newApp({ Secret: secret, MaxBody: 64 });
  const long = JSON.stringify("x".repeat(100));
  await overSocket(app, async (_ask, port) => {
    for (const body of [long, new Blob([long]).stream()]) {
      const response = await fetch(`http://127.0.0.1:${port}/hook`, { method: "POST", headers: standard(long), body });
      assertEquals(response.status, 413);
      await response.body?.cancel();
    }
  });
  assertEquals(runs, []);
});

Deno.test("Verify() limits the signatures that it compares", async () => {
  const { app } = newApp({ Secret: secret });
  const signed = standard();
  const list = `${"v1,AAAA ".repeat(1000)}${signed["webhook-signature"]}`;
  assertEquals((await post(app, { ...signed, "webhook-signature": list })).status, 401);
});

Deno.test("Verify() responds with 503 while the store fails", async () => {
  const failing = { ...fakeStore(), Create: () => Promise.reject(new Error("down")) };
  const { app, runs } = newApp({ Secret: secret, Store: failing });
  assertEquals((await post(app, standard())).status, 503);
  assertEquals(runs, []);
});

function fakeStore(): store.Store {
  const memory = store.NewMemory();
  return {
    Take: (key, rate) => memory.Take(key, rate),
    Increment: (key, n, lifetime) => memory.Increment(key, n, lifetime),
    Get: (key) => memory.Get(key),
    Set: (key, value, lifetime) => memory.Set(key, value, lifetime),
    Create: (key, value, lifetime) => memory.Create(key, value, lifetime),
    Delete: (key) => memory.Delete(key),
  };
}

Deno.test("Verify() calls OnReplay for a repeated webhook", async () => {
  const { app, runs } = newApp({ Secret: secret, Scheme: "shopify", OnReplay: (ctx) => ctx.StatusCode(200) });
  const signed = await schemes["shopify"]?.headers() ?? {};
  const statuses = [await post(app, signed), await post(app, signed)].map(({ status }) => status);
  // Another topic with the same body is another event.
  assertEquals((await post(app, { ...signed, "x-shopify-topic": "orders/paid" })).status, 200);
  assertEquals([statuses, runs.length], [[200, 200], 2]);
});

Deno.test("Verify() leaves the body to forms and to mounted applications", async () => {
  const app = fw.New();
  app.Use(webhooks.Verify({ Secret: secret, Scheme: "github" }));
  app.Post("/form", async (ctx) => void ctx.WriteString(await ctx.PostValue("a")));
  app.Mount("/inner", async (request) => new Response(`inner ${await request.text()}`));
  const headers = {
    "x-hub-signature-256": `sha256=${hmac("a=1", secret, "hex")}`,
    "content-type": "application/x-www-form-urlencoded",
  };
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/form", { method: "POST", headers, body: "a=1" })).text, "1");
    const other = { ...headers, "x-hub-signature-256": `sha256=${hmac("a=2", secret, "hex")}` };
    assertEquals((await ask("/inner/x", { method: "POST", headers: other, body: "a=2" })).text, "inner a=2");
  });
});

Deno.test("Verify() rejects options that cannot work", () => {
  const wrong: webhooks.VerifyOptions[] = [
    {},
    { Secret: "" },
    { Secrets: [] },
    { Secrets: [secret, ""] },
    { Secret: "whsec_not base64!" },
    // Keys are measured after decoding. All of these have fewer than 16 bytes.
    { Secret: "whsec_" },
    { Secret: "whsec_MTIzNDU2Nzg5MDEyMzQ1" },
    { Secrets: [secret, "whsec_AAAA"] },
    { Secret: "MTIzNDU2Nzg5MDEyMzQ1" },
    { Secret: "123456789012345", Scheme: "github" },
    { Secret: "short", Scheme: "stripe" },
    { Secret: "short", Scheme: "shopify" },
    { Secret: "short", Scheme: { Header: "x-sum" } },
    { Secret: secret, Tolerance: 0 },
    { Secret: secret, Tolerance: NaN },
    { Secret: secret, Scheme: "gitlab" as "github" },
  ];
  for (const options of wrong) {
    const error = assertThrows(() => webhooks.Verify(options), fw.FrameworkError);
    assertEquals(error.Code, "FW_CONFIG");
    assertEquals(error.message.includes("not base64!"), false);
  }
});

Deno.test("Verify() is described as a security scheme", async () => {
  const { app } = newApp({ Secret: secret });
  const document = await openapi.New({ Title: "Hooks", Version: "1" }).Build(app);
  assertEquals(Object(document.components)["securitySchemes"], {
    webhook: { type: "apiKey", in: "header", name: "webhook-signature" },
  });
});

Deno.test("Verify() refuses message IDs with a dot, whose signature is valid for another ID, time and body", async () => {
  const { app, runs } = newApp({ Secret: secret });
  for (const id of ["msg.1", `msg.${Math.floor(Date.now() / 1000)}`, ".", ""]) {
    const response = await post(app, { ...standard(text, secret, new Date(), id), "webhook-id": id });
    assertEquals(response.status, 401, id);
    await response.body?.cancel();
  }
  assertEquals(runs, []);
});
