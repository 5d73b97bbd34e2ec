import { assertEquals } from "@std/assert";
import type { Backplane, Entry, Listener, Log, Position, Retention } from "../../../src/live/hub/backplane.ts";
import { Channel, type Gap, type Sink } from "../../../src/live/hub/channel.ts";
import { innerHub } from "../../../src/live/hub/hub.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { MemoryBackplane } from "../../../src/live/hub/memory.ts";
import { runs } from "../../runs.ts";
import fc from "npm:fast-check@^4";

/** A backplane whose delivery loses, duplicates and delays messages, and whose store can be cleared. */
class Lossy extends MemoryBackplane implements Backplane {
  override readonly IsLossless = false as never;
  readonly #dice: () => number;
  #log = new MemoryBackplane();
  #listener: Listener | undefined;

  constructor(dice: () => number) {
    super();
    this.#dice = dice;
  }

  override Listen(_channel: string, listener: Listener): void {
    this.#listener = listener;
  }

  override Read(channel: string, after: number, limit: number): Log {
    return this.#log.Read(channel, after, limit);
  }

  override Publish(channel: string, payload: string, retention: Retention): Position {
    const position = this.#log.Publish(channel, payload, retention);
    const entry = { Offset: position.Offset, Payload: payload };
    const fate = this.#dice();
    if (fate < 0.6) this.#listener?.Receive(position.Epoch, entry);
    if (fate < 0.1) this.#listener?.Receive(position.Epoch, entry);
    if (fate > 0.8) queueMicrotask(() => this.#listener?.Receive(position.Epoch, entry));
    return position;
  }

  empty(): void {
    this.#log = new MemoryBackplane();
  }
}

class Seen implements Sink {
  readonly isOpen = true;
  readonly all: (string | Gap)[] = [];

  deliver(_channel: Channel, entry: Entry): void {
    this.all.push(entry.Payload);
  }

  skip(_channel: Channel, gap: Gap): void {
    this.all.push(gap);
  }
}

/** Waits until everything pending in this process has run. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await undefined;
}

Deno.test("Channel delivers every message once and in order, even if the backplane loses some", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      fc.nat(60),
      async (stream, count) => {
        const backplane = new Lossy(() => Number(stream.next().value));
        const channel = new Channel("x", backplane, () => {});
        const seen = new Seen();
        await channel.add(seen);
        for (let n = 0; n < count; n++) {
          backplane.Publish("x", String(n), { History: 1000, For: 60_000 });
          if (n % 7 === 0) await undefined;
        }
        await settle();
        await channel.check();
        await settle();
        assertEquals(seen.all, Array.from({ length: count }, (_, n) => String(n)));
      },
    ),
    { numRuns: runs(200) },
  );
});

Deno.test("Channel notifies every subscriber once if the store has lost its numbering", async () => {
  const backplane = new Lossy(() => 0.5);
  const channel = new Channel("x", backplane, () => {});
  const [one, other] = [new Seen(), new Seen()];
  await channel.add(one);
  await channel.add(other);
  backplane.Publish("x", "a", { History: 10, For: 60_000 });
  backplane.empty();
  channel.Missed();
  await settle();
  backplane.Publish("x", "b", { History: 10, For: 60_000 });
  await settle();
  for (const { all } of [one, other]) assertEquals(all, ["a", { From: 2, To: 1, Reason: "epoch" }, "b"]);
});

Deno.test("Channel.resume() replays stored messages, reports the missing ones, and continues without a gap", async () => {
  const backplane = new Lossy(() => 0.5);
  const channel = new Channel("x", backplane, () => {});
  await channel.add(new Seen());
  for (let n = 1; n <= 20; n++) backplane.Publish("x", String(n), { History: 5, For: 60_000 });
  const late = new Seen();
  const resuming = channel.resume(late, { Epoch: channel.position.Epoch, Offset: 10 });
  backplane.Publish("x", "21", { History: 5, For: 60_000 });
  await resuming;
  backplane.Publish("x", "22", { History: 5, For: 60_000 });
  await settle();
  const [first, ...rest] = late.all;
  assertEquals((first as Gap).From, 11);
  assertEquals(rest.at(-1), "22");
  const from = (first as Gap).To + 1;
  assertEquals(rest, Array.from({ length: 23 - from }, (_, at) => String(from + at)));
});

Deno.test("Hub keeps a channel open while a subscriber is being added to it", async () => {
  await using hub = live.New({ Backplane: new Lossy(() => 0.5) });
  const inner = innerHub(hub);
  const topic = hub.Topic("x", { History: 100 });
  const early = new Seen();
  const channel = inner.channel("x");
  await channel.add(early);
  const { Epoch } = await topic.Publish("n", 1);
  await topic.Publish("n", 2);
  const late = new Seen();
  const resuming = channel.resume(late, { Epoch, Offset: 1 });
  inner.leave(channel, early);
  await resuming;
  assertEquals(inner.channel("x"), channel);
  await topic.Publish("n", 3);
  assertEquals(late.all, ['"n",2', '"n",3']);
  inner.leave(channel, late);
  assertEquals(inner.channels, 0);
});

Deno.test("Channel.resume() waits if another process has delivered messages that this one has not received yet", async () => {
  const isLate = { now: false };
  const backplane = new Lossy(() => isLate.now ? 0.7 : 0.5);
  const channel = new Channel("x", backplane, () => {});
  const retention = { History: 100, For: 60_000 };
  await channel.add(new Seen());
  backplane.Publish("x", "1", retention);
  // These messages are stored, and other processes receive them, but they do not reach this process.
  isLate.now = true;
  for (let n = 2; n <= 5; n++) backplane.Publish("x", String(n), retention);
  const moved = new Seen();
  await channel.resume(moved, { Epoch: channel.position.Epoch, Offset: 4 });
  isLate.now = false;
  backplane.Publish("x", "6", retention);
  await settle();
  assertEquals(moved.all, ["5", "6"]);
});

Deno.test("Channel delivers a message to the other subscribers if one of them throws", async () => {
  const reports: string[] = [];
  const backplane = new MemoryBackplane();
  const channel = new Channel("x", backplane, (message) => reports.push(message));
  class Broken extends Seen {
    override deliver(): void {
      throw new Error("broken");
    }
  }
  const [broken, sound] = [new Broken(), new Seen()];
  await channel.add(broken);
  await channel.add(sound);
  backplane.Publish("x", "a", { History: 0, For: 0 });
  backplane.Publish("x", "b", { History: 0, For: 0 });
  assertEquals([sound.all, reports.length], [["a", "b"], 2]);
});

Deno.test("Channel delivers messages that are not stored, although it compares its position at the same time", async () => {
  const backplane = new Lossy(() => 0.5);
  const channel = new Channel("x", backplane, () => {});
  const seen = new Seen();
  await channel.add(seen);
  const expected: string[] = [];
  for (let n = 1; n <= 200; n++) {
    if (n % 3 === 0) void channel.check();
    backplane.Publish("x", String(n), { History: 0, For: 0 });
    expected.push(String(n));
    if (n % 7 === 0) await settle();
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  assertEquals(seen.all, expected);
});

Deno.test("Channel delivers the messages of a busy channel while its position is being requested", async () => {
  const backplane = new Lossy(() => 0.5);
  const channel = new Channel("x", backplane, () => {});
  const seen = new Seen();
  await channel.add(seen);
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  const read = backplane.Read.bind(backplane);
  Object.assign(backplane, {
    async Read(...args: Parameters<typeof read>) {
      await isAnswered;
      return read(...args);
    },
  });
  const checked = channel.check();
  const expected = Array.from({ length: 1_000 }, (_, n) => String(n));
  for (const payload of expected) backplane.Publish("x", payload, { History: 0, For: 0 });
  assertEquals(seen.all, expected);
  answer();
  await checked;
  assertEquals(seen.all, expected);
});

Deno.test("Channel reports messages that cannot be read as a gap, and ignores forged ones", async () => {
  const backplane = new Lossy(() => 0.5);
  const channel = new Channel("x", backplane, () => {}, (payload) => payload !== "malformed");
  const [early, late] = [new Seen(), new Seen()];
  await channel.add(early);
  const retention = { History: 10, For: 60_000 };
  const { Epoch } = backplane.Publish("x", "1", retention);
  for (const Offset of [0, 1, 2, 3, NaN, -1]) channel.Receive(Epoch, { Offset, Payload: "malformed" });
  await settle();
  for (const payload of ["2", "malformed", "4"]) backplane.Publish("x", payload, retention);
  await settle();
  await channel.resume(late, { Epoch, Offset: 1 });
  const gap = { From: 3, To: 3, Reason: "history" } as const;
  assertEquals([early.all, late.all], [["1", "2", gap, "4"], ["2", gap, "4"]]);
});

Deno.test("Channel.rewind() delivers a message that is published while the stored messages are being read", async () => {
  const kept = { History: 10, For: 60_000 };
  for (let steps = 0; steps < 12; steps++) {
    const backplane = new MemoryBackplane();
    const channel = new Channel("x", backplane, () => {});
    const seen = new Seen();
    await channel.add(new Seen());
    const rewound = channel.rewind(seen, Infinity);
    for (let step = 0; step < steps; step++) await undefined;
    backplane.Publish("x", "a", kept);
    await rewound;
    backplane.Publish("x", "b", kept);
    assertEquals(seen.all, ["a", "b"], `after ${steps} steps`);
  }
});
