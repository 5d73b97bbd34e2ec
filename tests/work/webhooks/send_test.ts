import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { createHmac } from "node:crypto";
import { Webhook } from "npm:standardwebhooks@^1";
import Stripe from "npm:stripe@^23";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as webhooks from "@fw/web/webhooks";
import { isPublic } from "../../../src/work/webhooks/public_address.ts";
import { tlsFile } from "../../http/server/support.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const older = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const data = { type: "paid", name: "Zoë", n: 1 };

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Serves a receiver on loopback while a function runs. */
async function receive(
  respond: (request: Request) => Response | Promise<Response>,
  run: (port: number, received: Received[]) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    received.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
    return await respond(request);
  });
  try {
    await run(server.addr.port, received);
  } finally {
    await server.shutdown();
  }
}

/** Creates the context of a job. */
function call(): { Key: string; Signal: AbortSignal } {
  return { Key: "job_1", Signal: new AbortController().signal };
}

const local: webhooks.SendOptions = { Secret: () => secret, Allow: ["127.0.0.1"] };

Deno.test("Send() sends JSON that the library of Standard Webhooks accepts", async () => {
  await receive(() => new Response(null, { status: 204 }), async (port, received) => {
    const send = webhooks.Send({ ...local, Secret: () => [secret, older] });
    assertEquals(await send({ URL: `http://127.0.0.1:${port}/hook`, Data: data }, call()), 204);
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    assertEquals([headers["webhook-id"], headers["content-type"]], ["job_1", "application/json"]);
    for (const key of [secret, older]) assertEquals(new Webhook(key).verify(body, headers), data);
  });
});

Deno.test("Send() signs as Stripe, GitHub and Shopify do", async () => {
  await receive(() => new Response(), async (port, received) => {
    for (const Scheme of ["stripe", "github", "shopify"] as const) {
      await webhooks.Send({ ...local, Scheme })({ URL: `http://127.0.0.1:${port}/`, Data: data }, call());
    }
    const [stripe, github, shopify] = received;
    const event = await new Stripe("sk_test_none").webhooks.constructEventAsync(
      stripe?.body ?? "",
      stripe?.headers["stripe-signature"] ?? "",
      secret,
    );
    assertEquals(event as unknown, data);
    const hmac = createHmac("sha256", secret).update(JSON.stringify(data)).digest();
    assertEquals(github?.headers["x-hub-signature-256"], `sha256=${hmac.toString("hex")}`);
    assertEquals(shopify?.headers["x-shopify-hmac-sha256"], hmac.toString("base64"));
  });
});

Deno.test("Send() and Verify() agree on every scheme", async () => {
  const custom = { Header: "X-Sum", Prefix: "a=", Encoding: "base64" } as const;
  for (const Scheme of ["standard", "stripe", "github", "shopify", custom] as const) {
    const app = fw.New();
    app.Logger().SetLevel("disable");
    app.Post("/", webhooks.Verify({ Secrets: ["whsec_YW5vdGhlciBzZWNyZXQgb2YgMjQ=", secret], Scheme }), async (ctx) => {
      const [value] = await ctx.ReadJSON();
      ctx.JSON(value);
    });
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
    const URL = `http://127.0.0.1:${server.addr.port}/`;
    assertEquals(await webhooks.Send({ ...local, Scheme })({ URL, Data: data }, call()), 200);
    await assertRejects(
      () => webhooks.Send({ ...local, Secret: () => older, Scheme })({ URL, Data: data }, call()),
      Error,
      "the response has status 401",
    );
    await server.shutdown();
  }
});

const inside = [
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1"],
  ...["172.31.255.255", "192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::7f00:1", "fe80::1", "fc00::1"],
  ...["fd00:ec2::254", "fec0::1", "ff02::1", "2002:7f00:1::", "2001:0:1::1", "2001:db8::1", "3fff::1", "100::1"],
  ...["fe80::1%eth0", "", "localhost", "127.1", "0x7f.0.0.1"],
];
const outside = [
  "1.1.1.1",
  "172.32.0.1",
  "100.128.0.1",
  "192.0.1.1",
  "2606:4700::1111",
  "2a00:1450:4001::1",
  "::ffff:1.1.1.1",
];

Deno.test("isPublic() knows the special networks of IPv4 and IPv6", () => {
  assertEquals(inside.filter(isPublic), []);
  assertEquals(outside.filter(isPublic), outside);
});

Deno.test("Send() rejects URLs whose host is not public, however it is spelled", async () => {
  await receive(() => new Response(), async (port, received) => {
    const send = webhooks.Send({ Secret: () => secret });
    const hosts = [
      ...[
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "127.0.0.1.",
        "①②⑦.0.0.1",
        "%31%32%37.0.0.1",
      ],
      ...[
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::]",
        "localhost",

        "LOCALHOST",
        "169.254.169.254",
      ],
    ];
    for (const host of hosts) {
      const error = await assertRejects(() => send({ URL: `http://${host}:${port}/`, Data: 1 }, call()), Error);
      assertEquals(error.name, "PermanentError", host);
      assertStringIncludes(error.message, "its address is not public");
    }
    assertEquals(received, []);
  });
});

Deno.test("Send() rejects a host if one of its addresses is not public", async () => {
  for (const addresses of [["127.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["2606:4700::1111", "::1"], []]) {
    const send = webhooks.Send({ Secret: () => secret, Resolve: () => Promise.resolve(addresses) });
    await assertRejects(() => send({ URL: "http://hooks.example/", Data: 1 }, call()), Error, "not public");
  }
});

Deno.test("Send() connects to the address that it has checked, and resolves the host once", async () => {
  await receive(() => new Response(), async (port, received) => {
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const asked: string[] = [];
    const Resolve = (host: string) => {
      asked.push(host);
      return Promise.resolve(answers.shift() ?? []);
    };
    const send = webhooks.Send({ ...local, Resolve });
    assertEquals(await send({ URL: `http://hooks.example:${port}/`, Data: 1 }, call()), 200);
    assertEquals(asked, ["hooks.example"]);
    assertEquals(received[0]?.headers["host"], `hooks.example:${port}`);
    // The next attempt resolves the host again, and checks the new address.
    await assertRejects(() => send({ URL: `http://hooks.example:${port}/`, Data: 1 }, call()), Error, "not public");
  });
});

Deno.test("Send() verifies the certificate for the name of the host", async () => {
  const [cert, key] = await Promise.all(
    ["localhost.crt", "localhost.key"].map((file) => Deno.readTextFile(tlsFile(file))),
  );
  const options = { hostname: "127.0.0.1", port: 0, cert: cert ?? "", key: key ?? "", onListen() {} };
  const server = Deno.serve(options, () => new Response());
  const send = webhooks.Send({ ...local, Resolve: () => Promise.resolve(["127.0.0.1"]) });
  await assertRejects(
    () => send({ URL: `https://hooks.example:${server.addr.port}/`, Data: 1 }, call()),
    Error,
    "certificate",
  );
  await server.shutdown();
});

Deno.test("Send() does not follow redirects", async () => {
  await receive(() => new Response("secret"), async (inner, reached) => {
    await receive(() => Response.redirect(`http://127.0.0.1:${inner}/`, 307), async (port) => {
      const send = webhooks.Send(local);
      await assertRejects(() => send({ URL: `http://127.0.0.1:${port}/`, Data: 1 }, call()), Error, "has status 307");
    });
    assertEquals(reached, []);
  });
});

Deno.test("Send() fails for good if the receiver responds with 410, and can be retried otherwise", async () => {
  const names: Record<number, string> = {
    410: "PermanentError",
    400: "Error",
    404: "Error",
    429: "Error",
    500: "Error",
  };
  for (const [status, name] of Object.entries(names)) {
    await receive(() => new Response("no", { status: Number(status) }), async (port) => {
      const send = webhooks.Send(local);
      const error = await assertRejects(
        () => send({ URL: `http://127.0.0.1:${port}/`, Data: 1 }, call()),
        Error,
        status,
      );
      assertEquals(error.name, name);
    });
  }
  await assertRejects(() => webhooks.Send(local)({ URL: "http://127.0.0.1:1/", Data: 1 }, call()), Error, "REFUSED");
});

/** Serves raw bytes to the first connection. */
async function receiveRaw(
  write: (conn: Deno.Conn) => Promise<void>,
  run: (port: number) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    using conn = await listener.accept();
    await conn.read(new Uint8Array(4096));
    await write(conn).catch(() => {});
  })();
  try {
    await run(listener.addr.port);
  } finally {
    listener.close();
    await serving.catch(() => {});
  }
}

const encoder = new TextEncoder();

Deno.test("Send() stops reading a response that is too long", async () => {
  let written = 0;
  const endless = async (conn: Deno.Conn) => {
    await conn.write(encoder.encode("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"));
    for (;;) written += await conn.write(encoder.encode(`1000\r\n${"x".repeat(4096)}\r\n`));
  };
  await receiveRaw(endless, async (port) => {
    assertEquals(await webhooks.Send(local)({ URL: `http://127.0.0.1:${port}/`, Data: 1 }, call()), 200);
  });
  assert(written < 64 << 20, `${written}`);
});

Deno.test("Send() fails if the receiver switches protocols", async () => {
  const upgrade = "Connection: Upgrade\r\nUpgrade: other\r\n";
  for (
    const head of [`101 Switching\r\n${upgrade}`, "101 Switching\r\n", `200 OK\r\nContent-Length: 0\r\n${upgrade}`]
  ) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const serving = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(4096));
      await connection.write(new TextEncoder().encode(`HTTP/1.1 ${head}\r\n`));
      while (await connection.read(new Uint8Array(4096)).catch(() => null) !== null);
      connection.close();
    });
    const sent = webhooks.Send(local)({ URL: `http://127.0.0.1:${listener.addr.port}/`, Data: data }, call());
    if (head.startsWith("200")) assertEquals(await sent, 200);
    else await assertRejects(() => sent, Error);
    await serving;
  }
});

Deno.test("Send() stops reading headers that do not end", async () => {
  let written = 0;
  const endless = async (conn: Deno.Conn) => {
    await conn.write(encoder.encode("HTTP/1.1 200 OK\r\n"));
    for (;;) written += await conn.write(encoder.encode(`x: ${"x".repeat(4096)}\r\n`));
  };
  await receiveRaw(endless, async (port) => {
    await assertRejects(() => webhooks.Send(local)({ URL: `http://127.0.0.1:${port}/`, Data: 1 }, call()));
  });
  assert(written < 64 << 20, `${written}`);
});

Deno.test("Send() stops waiting for a slow response, and if its job is canceled", async () => {
  const silent = async (conn: Deno.Conn) => void await conn.read(new Uint8Array(1));
  await receiveRaw(silent, async (port) => {
    const send = webhooks.Send({ ...local, Timeout: 50 });
    await assertRejects(() => send({ URL: `http://127.0.0.1:${port}/`, Data: 1 }, call()));
  });
  await receiveRaw(silent, async (port) => {
    const stop = new AbortController();
    const sending = webhooks.Send(local)({ URL: `http://127.0.0.1:${port}/`, Data: 1 }, {
      Key: "1",
      Signal: stop.signal,
    });
    stop.abort();
    await assertRejects(() => sending);
  });
});

Deno.test("Send() rejects URLs without a host of HTTP, and options that cannot work", async () => {
  const { validate } = webhooks.Send(local).Schema["~standard"];
  for (
    const URL of ["", "/hook", "ftp://a.example/", "file:///etc/passwd", "http://user:pass@a.example/", 1, undefined]
  ) {
    assert((await validate({ URL, Data: 1 })).issues !== undefined, String(URL));
  }
  assertEquals((await validate({ URL: "https://a.example/hook" })).issues, undefined);
  for (const wrong of [{}, { Secret: "text" }, { ...local, Allow: ["localhost"] }, { ...local, Scheme: "other" }]) {
    assertThrows(() => webhooks.Send(wrong as webhooks.SendOptions), fw.FrameworkError);
  }
  for (const wrong of [undefined, null, 1, "", [], [secret, undefined]]) {
    const send = webhooks.Send({ ...local, Secret: () => wrong as string });
    const error = await assertRejects(() => send({ URL: "http://127.0.0.1:1/", Data: 1 }, call()), fw.FrameworkError);
    assertStringIncludes(error.message, "Cannot use the secret of a webhook: it must");
  }
});

Deno.test("Send() is a job: invalid URLs fail at Add, and failed deliveries are retried with the same ID", async () => {
  const statuses = [500, 302, 204];
  await receive(() => new Response(null, { status: statuses.shift() ?? 200 }), async (port, received) => {
    let now = Date.now();
    const queue = jobs.New(jobs.NewMemory(), { Clock: () => now, Logger: new fw.Logger().SetLevel("disable") });
    const send = webhooks.Send(local);
    queue.Handle(send);
    await assertRejects(() => queue.Add(send, { URL: "file:///etc/passwd", Data: 1 }), fw.ValidationError);
    const { ID } = await queue.Add(send, { URL: `http://127.0.0.1:${port}/`, Data: data }, { Key: "order-1" });
    for (let at = 0; at < 5; at++) {
      await queue.Drain();
      now += 3_600_000;
    }
    assertEquals(received.map(({ headers }) => headers["webhook-id"]), ["order-1", "order-1", "order-1"]);
    assertEquals((await queue.Get(ID))?.State, "done");
  });
});

Deno.test("Send() fails for good as a job if the address is not public", async () => {
  const failed: string[] = [];
  const queue = jobs.New(jobs.NewMemory(), { Logger: new fw.Logger().SetLevel("disable") });
  const send = webhooks.Send({ Secret: () => secret });
  queue.Handle(send).OnFailed((_job, error) => void failed.push(error.message));
  await queue.Add(send, { URL: "http://169.254.169.254/latest/meta-data/", Data: 1 });
  await queue.Drain();
  assertEquals(failed, ['Cannot send a webhook to "169.254.169.254": its address is not public']);
});

Deno.test("Send() sends message IDs without a dot, which differ for different keys", async () => {
  const keys = ["a.1.b", "a%2E1%2Eb", "a-1", "a 1", " a ", "a\r\nb", "t\u00e9", "\u2603", "\ud83c\udf75", "\ud83c"];
  await receive(() => new Response(), async (port, received) => {
    for (const Key of keys) {
      await webhooks.Send(local)({ URL: `http://127.0.0.1:${port}/`, Data: data }, { ...call(), Key });
    }
    const ids = received.map(({ headers }) => headers["webhook-id"]);
    assertEquals(ids.slice(0, 4), ["a%2E1%2Eb", "a%252E1%252Eb", "a-1", "a 1"]);
    // Other characters cannot be sent in a header, or are read in different ways.
    assertEquals(ids.slice(4, 7), ["%20a%20", "a%0D%0Ab", "t%C3%A9"]);
    assertEquals(ids.slice(7), ["%E2%98%83", "%F0%9F%8D%B5", "%EF%BF%BD"]);
    for (const { headers, body } of received) assertEquals(new Webhook(secret).verify(body, headers), data);
  });
});

Deno.test("isPublic() refuses metadata services, also those with public addresses", () => {
  for (
    const address of ["168.63.129.16", "::ffff:168.63.129.16", "169.254.169.254", "100.100.100.200", "192.0.0.192"]
  ) {
    assertEquals(isPublic(address), false, address);
  }
  assertEquals(isPublic("168.63.129.17"), true);
});
