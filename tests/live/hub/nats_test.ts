import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { jetstreamManager } from "npm:@nats-io/jetstream@^3";
import type { ConnectionOptions, NatsConnection } from "npm:@nats-io/nats-core@^3";
import { connect as connectNode } from "npm:@nats-io/transport-node@^3";
import { connect as connectOld } from "npm:nats@^2";
import fc from "npm:fast-check@^4";
import type { Backplane, Entry, Listener } from "../../../src/live/hub/backplane.ts";
import { Channel, type Gap } from "../../../src/live/hub/channel.ts";
import * as nats from "../../../src/live/hub/nats.ts";
import { tokenOf } from "../../../src/live/hub/nats_stream.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { runs } from "../../runs.ts";
import { Balancer } from "./cluster.ts";
import { withNats } from "./nats_clients.ts";
import { connect } from "./nats_transport.ts";
import { hasNats, natsNote, type NatsOptions, OwnNats } from "./own_nats.ts";

const kept = { History: 1_000, For: 60_000 };

/** Registers a test that needs a NATS server. */
function testNats(name: string, run: (server: OwnNats) => Promise<void>, options: NatsOptions = {}): void {
  Deno.test({
    name: name + natsNote,
    ignore: !hasNats,
    async fn() {
      await using server = await new OwnNats(options).start();
      await run(server);
    },
  });
}

/** Opens backplanes, each with its own connection, as in separate processes. */
function open(server: OwnNats, count: number, url = server.url, own: ConnectionOptions = {}): Ends {
  const list = Array.from({ length: count }, () => withNats(url, { Timeout: 10_000 }, own));
  return Object.assign(list, {
    async [Symbol.asyncDispose]() {
      for (const each of list) await each.Close();
    },
  }) as unknown as Ends;
}

type Ends = AsyncDisposable & readonly [Backplane, ...Backplane[]];

class Ear implements Listener {
  readonly heard: [epoch: string, entry: Entry][] = [];
  missed = 0;
  #wake: (() => void) | undefined = undefined;

  Receive(epoch: string, entry: Entry): void {
    this.heard.push([epoch, entry]);
    this.#wake?.();
  }

  Missed(): void {
    this.missed++;
    this.#wake?.();
  }

  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => this.#wake = resolve);
  }
}

Deno.test("tokenOf() encodes every name as another token that NATS accepts", () => {
  const names = fc.string({ unit: "binary", maxLength: 400 });
  const lone = fc.array(fc.constantFrom("\ud800", "\udc00", ".", "*", ">", " ", "=", "a", "002e"), { maxLength: 6 });
  fc.assert(
    fc.property(fc.oneof(names, lone.map((units) => units.join(""))), names, (one, other) => {
      assertMatch(tokenOf(one), /^[\w=:-]{1,200}$/);
      if (one !== other) assertNotEquals(tokenOf(one), tokenOf(other));
    }),
    { numRuns: runs(500) },
  );
  const tricky = ["", "=", "a.b", "a=002eb", "a b", "*", ">", "\ud800", "\ud801", "\ufffd", "é", "e\u0301"];
  assertEquals(new Set(tricky.map(tokenOf)).size, tricky.length);
});

testNats("nats.New() separates channels with any names", async (server) => {
  await using ends = open(server, 2);
  const [one, other] = ends;
  const names = [
    "",
    ".",
    "a.b",
    "a b",
    "a=002eb",
    "*",
    ">",
    "a.*",
    "\r\n",
    "\ud800",
    "\ufffd",
    "x".repeat(20_000),
    "$JS",
  ];
  for (const name of names) await one.Publish(name, `in ${name}`, kept);
  for (const name of names) {
    const { Offset, Entries } = await other?.Read(name, 0, 10) ?? { Offset: 0, Entries: [] };
    assertEquals([Offset, Entries.map(({ Payload }) => Payload)], [1, [`in ${name}`]]);
  }
});

testNats("nats.New() numbers every message uniquely if processes publish at the same time", async (server) => {
  await using ends = open(server, 5);
  const ear = new Ear();
  const count = runs(40);
  await ends[0].Listen("many", ear);
  const positions = await Promise.all(ends.map(async (end, at) => {
    const offsets: number[] = [];
    for (let n = 0; n < count; n++) offsets.push((await end.Publish("many", `${at}:${n}`, kept)).Offset);
    return offsets;
  }));
  const total = count * ends.length;
  await ear.until(() => ear.heard.length === total);
  const { Entries } = await ends[0].Read("many", 0, 1_000);
  assertEquals(Entries.map(({ Offset }) => Offset), Array.from({ length: total }, (_, at) => at + 1));
  // The server may republish two messages in another order. Hubs compare offsets.
  const heard = ear.heard.map(([, entry]) => entry).sort((a, b) => a.Offset - b.Offset);
  assertEquals(heard, Entries);
  // Each message is stored under the number that its sender received.
  for (const [at, offsets] of positions.entries()) {
    assertEquals(offsets.map((offset) => Entries[offset - 1]?.Payload), offsets.map((_, n) => `${at}:${n}`));
  }
});

testNats("Read() finds every offset of a long history among the messages of other channels", async (server) => {
  await using ends = open(server, 1);
  const [end] = ends;
  const publish = (channel: string, n: number) => end.Publish(channel, `${n}`, { History: 700, For: 60_000 });
  for (let n = 1; n <= 900; n += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => publish("mine", n + at)));
    for (let at = 0; at < 60; at++) await publish(`other ${at % 7}`, at);
    await publish("mine", n + 100);
  }
  const { Offset } = await end.Read("mine", Infinity, 1);
  assertEquals(Offset, 909);
  for (const after of [0, 208, 209, 210, 300, 301, 404, 500, 777, 900, 907, 908]) {
    const { Entries } = await end.Read("mine", after, 50);
    const first = Math.max(after, 909 - 700) + 1;
    const expected = Array.from({ length: Math.min(50, 909 - first + 1) }, (_, at) => first + at);
    assertEquals(Entries.map((entry) => entry.Offset), expected);
  }
});

testNats("Publish() removes messages that no history contains, and keeps the longest one", async (server) => {
  await using ends = open(server, 2);
  const [one, other] = ends;
  for (let n = 0; n < 250; n++) {
    await one.Publish("room", `${n}`, { History: 0, For: 0 });
    await one.Publish("topic", `${n}`, { History: 120, For: 60_000 });
  }
  // A process that has not declared the topic does not end its history.
  for (let n = 0; n < 100; n++) await other?.Publish("topic", `${n}`, { History: 0, For: 0 });
  const { Offset, Entries } = await one.Read("topic", 0, 1_000);
  assertEquals([Offset, Entries.length, Entries[0]?.Offset], [350, 20, 231]);
  const client = await connect({ servers: server.url });
  const manager = await jetstreamManager(client);
  const { state } = await manager.streams.info("fw_live", { "subjects_filter": ">" });
  await client.close();
  assert((state.subjects?.["fw_live.log.room"] ?? 0) <= 100);
  assert((state.subjects?.["fw_live.log.topic"] ?? 0) <= 240);
});

testNats("Read() omits expired messages and keeps the numbering", async (server) => {
  await using ends = open(server, 1);
  const [end] = ends;
  await end.Publish("tea", "a", { History: 10, For: 1 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const { Offset, Entries } = await end.Read("tea", 0, 10);
  assertEquals([Offset, Entries], [1, []]);
  const error = await assertRejects(async () => await end.Publish("tea", "b", { History: 10, For: 10 * 86_400_000 }));
  assertEquals(
    (error as Error).message,
    'Cannot publish to "tea": its messages are stored for 864000000 ms, longer than MaxAge',
  );
});

testNats("Publish() rejects only messages that are larger than max_payload", async (server) => {
  await using ends = open(server, 1);
  const [end] = ends;
  const sent = await Promise.allSettled(
    ["a", "x".repeat(70_000), "b", "y".repeat(60_000), "c"].map((each) => end.Publish("tea", each, kept)),
  );
  assertEquals(sent.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"]);
  const [, large] = sent;
  assertMatch(
    String(large?.status === "rejected" && large.reason),
    /Cannot store 70\d+ bytes in NATS: its max_payload allows at most 65408 bytes/,
  );
  assertEquals((await end.Read("tea", 0, 10)).Entries.map(({ Payload }) => Payload[0]), ["a", "b", "y", "c"]);
}, { config: "max_payload: 65536" });

testNats("Rows() and Claim() measure lifetimes, and rows of a dead process are removed", async (server) => {
  await using ends = open(server, 2);
  const [one, other] = ends;
  await one.Renew("short", 1);
  await one.Renew("long", 60_000);
  for (const field of ["a", "b", "c"]) await one.Put("room", "short", field, field);
  await one.Put("room", "long", "d", "dora");
  await one.Put("room.x", "long", "e", "other table");
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals([...await other?.Rows("room") ?? []], [["d", "dora"]]);
  // The process has only been slow. It stores its rows again.
  await one.Renew("short", 60_000);
  assertEquals([...await other?.Rows("room") ?? []], [["d", "dora"]]);
  await one.Put("room", "short", "a", "ada");
  assertEquals([...await other?.Rows("room") ?? []].sort(), [["a", "ada"], ["d", "dora"]]);
  assertEquals(await one.Claim("key", "first", 1), null);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const claims = await Promise.all([one.Claim("key", "x", 60_000), other?.Claim("key", "x", 60_000)]);
  assertEquals(claims.toSorted(), [null, "x"].toSorted());
});

testNats("Publish() creates a deleted stream again, and subscribers are notified of the gap", async (server) => {
  await using ends = open(server, 1);
  const channel = new Channel("tea", ends[0], () => {});
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const seen: (string | Gap)[] = [];
  await channel.add({
    isOpen: true,
    deliver: (_, { Payload }) => void (seen.push(Payload) === 3 && resolve()),
    skip: (_, gap) => void seen.push(gap),
  });
  await ends[0].Publish("tea", "a", kept);
  const client = await connect({ servers: server.url });
  await (await jetstreamManager(client)).streams.delete("fw_live");
  await client.close();
  await ends[0].Publish("tea", "b", kept);
  await done;
  channel.close();
  assertEquals(seen, ["a", { From: 2, To: 1, Reason: "epoch" }, "b"]);
});

testNats("messages that other programs write to the subjects do not end the connection", async (server) => {
  await using ends = open(server, 2);
  const [one, other] = ends;
  const ear = new Ear();
  await one.Listen("tea", ear);
  const before = await other?.Publish("tea", "a", kept);
  const client = await connect({ servers: server.url });
  const texts = ["garbage", "null", '{"Epoch":1}', '{"Epoch":"x","First":1,"Payloads":[1]}'];
  for (const text of texts) client.publish("fw_live.live.tea", text);
  await client.flush();
  await ear.until(() => ear.missed === texts.length);
  assertEquals((await one.Read("tea", 0, 10)).Entries, [{ Offset: 1, Payload: "a" }]);
  // A stored message breaks the numbering, so a new epoch starts.
  for (const text of texts) client.publish("fw_live.log.tea", text);
  await client.flush();
  await client.close();
  await ear.until(() => ear.missed === 2 * texts.length);
  const after = await other?.Publish("tea", "b", kept);
  assertEquals(after?.Offset, 1);
  assertNotEquals(after?.Epoch, before?.Epoch);
  assertEquals((await one.Read("tea", 0, 10)).Entries, [{ Offset: 1, Payload: "b" }]);
  await ear.until(() => ear.heard.length === 2);
});

testNats("Read() starts a new epoch if the server has lost messages after they were received", async (server) => {
  await using ends = open(server, 2);
  const [one, other] = ends;
  for (const payload of ["a", "b", "c"]) await one.Publish("tea", payload, kept);
  const before = await one.Read("tea", 3, 10);
  const client = await connect({ servers: server.url });
  await (await jetstreamManager(client)).streams.deleteMessage("fw_live", 3);
  await client.close();
  const after = await one.Read("tea", 3, 10);
  assertEquals([before.Offset, after.Offset, after.Entries], [3, 0, []]);
  assertNotEquals(after.Epoch, before.Epoch);
  assertEquals(await other?.Publish("tea", "d", kept), { Epoch: after.Epoch, Offset: 1 });
  assertEquals((await one.Read("tea", 0, 10)).Entries, [{ Offset: 1, Payload: "d" }]);
});

testNats("Listen() reports missed messages after a reconnection, and works again", async (server) => {
  await using ends = open(server, 1);
  const [end] = ends;
  const ear = new Ear();
  await end.Listen("tea", ear);
  await end.Publish("tea", "a", kept);
  await server.kill();
  const error = await assertRejects(async () => await end.Publish("tea", "lost", kept));
  assertMatch((error as Error).message, /^Cannot use NATS at "127\.0\.0\.1:\d+": The connection is lost/);
  await server.start();
  await ear.until(() => ear.missed > 0);
  await end.Publish("tea", "b", kept);
  await ear.until(() => ear.heard.length === 2);
  assertEquals(ear.heard.map(([, entry]) => entry.Payload), ["a", "b"]);
  assertEquals((await end.Read("tea", 0, 10)).Entries.map(({ Payload }) => Payload), ["a", "b"]);
}, { isDurable: true });

Deno.test({
  name: `Publish() never gives a number twice, even if connections are cut and acknowledgements are lost${natsNote}`,
  ignore: !hasNats,
  // The streams of the proxy may end after the test.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using server = await new OwnNats().start();
    const proxy = new Balancer(server.port);
    await using ends = open(server, 3, `nats://127.0.0.1:${proxy.port}`);
    const ears = ends.map(() => new Ear());
    for (const [at, end] of ends.entries()) await end.Listen("tea", ears[at] as Ear);
    const accepted = new Map<number, string>();
    let [rejected, published] = [0, 0];
    await Promise.all(ends.map(async (end, at) => {
      for (let n = 0; n < runs(150); n++) {
        if (++published % 40 === 0) proxy.cut();
        try {
          const { Offset } = await end.Publish("tea", `${at}:${n}`, kept);
          assertEquals(accepted.has(Offset), false);
          accepted.set(Offset, `${at}:${n}`);
        } catch {
          rejected++;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    }));
    proxy.close();
    await using direct = open(server, 1);
    const { Offset, Entries } = await direct[0].Read("tea", 0, 1_000);
    assertEquals(Entries.map((entry) => entry.Offset), Array.from({ length: Offset }, (_, at) => at + 1));
    // A rejected message may have been stored, but only once.
    assertEquals(new Set(Entries.map(({ Payload }) => Payload)).size, Entries.length);
    for (const [offset, payload] of accepted) assertEquals(Entries[offset - 1]?.Payload, payload);
    assert(rejected > 0 && accepted.size > 0);
    for (const { heard } of ears) {
      for (const [, { Offset: offset, Payload }] of heard) assertEquals(Payload, Entries[offset - 1]?.Payload);
    }
  },
});

testNats("nats.New() reports a server without JetStream", async (server) => {
  await using ends = open(server, 1);
  const error = await assertRejects(async () => await ends[0].Publish("tea", "a", kept));
  assertMatch((error as Error).message, /jetstream is not enabled|JetStream not enabled/i);
}, { config: "jetstream: disabled" });

testNats("nats.New() fails while the connection is not open, and rejects unusable options", async (server) => {
  const { promise, resolve } = Promise.withResolvers<NatsConnection>();
  const early = nats.New(promise, { Timeout: 300 });
  const error = await assertRejects(async () => await early.Publish("tea", "a", kept));
  assertEquals((error as Error).message, "Cannot use NATS: No response within 300 ms");
  const connection = await connect({ servers: server.url });
  resolve(connection);
  assertEquals((await early.Publish("tea", "a", kept)).Offset, 1);
  await early.Close();
  const closed = await assertRejects(async () => await early.Read("tea", 0, 1));
  const place = `127.0.0.1:${server.port}`;
  assertEquals((closed as Error).message, `Cannot use NATS at "${place}": The backplane is closed`);
  const refused = nats.New(connect({ servers: "127.0.0.1:1", reconnect: false }));
  await assertRejects(async () => await refused.Publish("tea", "a", kept), Error, "Cannot use NATS: ");
  await refused.Close();
  assertThrows(() => nats.New(connection, { Name: "a.b" }), Error, 'Cannot use the stream name "a.b"');
  assertThrows(() => nats.New(connection, { Timeout: 0 }), Error, "it must be a positive number of milliseconds");
  await connection.close();
});

Deno.test("nats.New() names the missing member and shows the import of a connection", async () => {
  const cases: readonly [unknown, string][] = [
    [undefined, 'the connection is of type "undefined" and has no method "request"'],
    [{ URL: "nats://127.0.0.1" }, 'the connection has no method "request"'],
    [{ request() {}, subscribe() {} }, 'the connection has no method "flush"'],
  ];
  for (const [connection, state] of cases) {
    const thrown = assertThrows(() => nats.New(connection as never), FrameworkError, state);
    assertMatch(thrown.message, /import \{ connect \} from "npm:@nats-io\/transport-node@\^3"/);
    const late = nats.New(Promise.resolve(connection) as never);
    await assertRejects(async () => await late.Publish("tea", "a", kept), FrameworkError, state);
    await late.Close();
  }
});

for (const [name, open] of Object.entries({ "transport-node 3": connectNode, "nats 2": connectOld })) {
  testNats(`nats.New() uses a connection of ${name}, and closes only what it has opened`, async (server) => {
    const connection = await open({ servers: `127.0.0.1:${server.port}` });
    const [one, other] = [nats.New(connection as nats.Connection), nats.New(connection as nats.Connection)];
    const ear = new Ear();
    await one.Listen("tea", ear);
    assertEquals((await other.Publish("tea", "a", kept)).Offset, 1);
    await ear.until(() => ear.heard.length === 1);
    await Promise.all(Array.from({ length: 20 }, (_, n) => other.Put("room", "node", `${n}`, "x")));
    await other.Renew("node", 60_000);
    assertEquals((await one.Rows("room")).size, 20);
    assertEquals([await one.Claim("c", "1", 60_000), await other.Claim("c", "2", 60_000)], [null, "1"]);
    await one.Close();
    // The other backplane and the application use the connection further, but the closed one receives nothing.
    await other.Publish("tea", "b", kept);
    const answered = Promise.withResolvers<void>();
    connection.subscribe("own", { callback: () => answered.resolve() });
    connection.publish("own");
    await answered.promise;
    assertEquals([connection.isClosed(), ear.heard.length], [false, 1]);
    await other.Close();
    assertEquals(connection.isClosed(), false);
    await connection.close();
  });
}
