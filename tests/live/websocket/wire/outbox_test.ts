import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { setImmediate } from "node:timers";
import { beginTurn, Outbox } from "../../../../src/live/websocket/wire/outbox.ts";
import { partsOf } from "../../../../src/live/websocket/wire/packet.ts";
import type { Socket } from "../../../../src/live/websocket/wire/socket.ts";

/** A socket whose peer only reads when the test calls a method. */
class ManualSocket implements Socket {
  readonly sent: string[] = [];
  buffered = 0;

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.sent.push(String(data));
    this.buffered += data.length;
  }

  close(): void {}
}

class Subject {
  readonly socket = new ManualSocket();
  hasOverflowed = false;
  readonly outbox: Outbox;

  constructor(most = 10 << 20) {
    this.outbox = new Outbox(this.socket, this, { joins: true, parts: partsOf }, most);
  }

  overflowed(): void {
    this.hasOverflowed = true;
  }

  caughtUp(): void {}

  /** Reads until no data is waiting. */
  async readAll(): Promise<void> {
    await tick();
    while (!this.outbox.isEmpty || this.socket.buffered > 0) {
      this.socket.buffered = 0;
      await tick();
    }
  }

  /** Returns the messages as assembled by a client. */
  get text(): string[] {
    const found: string[] = [];
    let whole = "";
    for (const message of this.socket.sent) {
      if (message.startsWith("+")) whole += message.slice(1);
      else found.push(message.startsWith("=") ? whole + message.slice(1) : message), whole = "";
    }
    return found;
  }
}

/** Waits until the outboxes have been flushed. */
function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

Deno.test("Outbox passes a large broadcast to the platform in slices, and each connection receives all of it in order", async () => {
  const subjects = Array.from({ length: 300 }, () => new Subject());
  const long = `["${"x".repeat(200_000)}"]`;
  for (const { outbox } of subjects) outbox.push(long);
  await tick();
  const held = subjects.reduce((sum, { socket }) => sum + socket.buffered, 0);
  assertLessOrEqual(held, 2 << 20, `${held} bytes were handed over at once`);
  // A message for one connection is sent after the broadcast, and only to that connection.
  subjects[0]?.outbox.push('["mine"]');
  await Promise.all(subjects.map((subject) => subject.readAll()));
  assertEquals(subjects[0]?.text, [long, '["mine"]']);
  for (const { text } of subjects.slice(1)) assertEquals(text, [long]);
});

Deno.test("Outbox sends a reply at the end of its tick even if a broadcast is waiting", async () => {
  const crowd = Array.from({ length: 2_000 }, () => new Subject());
  for (const { outbox } of crowd) outbox.push('["all"]');
  await tick();
  assert(crowd.some(({ socket }) => socket.sent.length === 0), "The broadcast was sent at once");
  const other = new Subject();
  other.outbox.push('["reply"]');
  await tick();
  assertEquals(other.socket.sent, ['["reply"]']);
  await Promise.all(crowd.map((subject) => subject.readAll()));
  for (const { socket } of crowd) assertEquals(socket.sent, ['["all"]']);
});

Deno.test("Outbox sends the replies to messages that arrived together in one message", async () => {
  const subject = new Subject();
  for (const packet of ["[1]", "[2]", "[3]"]) {
    subject.outbox.push(packet);
    // The platform delivers messages that have already been read in consecutive microtasks.
    await Promise.resolve();
  }
  await tick();
  assertEquals(subject.socket.sent, ["[[1],[2],[3]]"]);
});

/** Sends something that exceeds the limit of 100,000 bytes by itself. */
const longTurns: Readonly<Record<string, (outbox: Outbox) => void>> = {
  "a long message": (outbox) => outbox.push(`["${"x".repeat(300_000)}"]`),
  "long bytes": (outbox) => outbox.pushWhole(new Uint8Array(300_000)),
  "an event and long bytes": (outbox) => {
    outbox.push('["event"]');
    outbox.pushWhole(new Uint8Array(300_000));
  },
  "long bytes and an event": (outbox) => {
    outbox.pushWhole(new Uint8Array(300_000));
    outbox.push('["event"]');
  },
  "many attachments": (outbox) => {
    for (let n = 0; n < 10; n++) outbox.pushWhole(new Uint8Array(30_000));
  },
  "many packets": (outbox) => {
    for (let n = 0; n < 300; n++) outbox.push(`["${"x".repeat(1_000)}"]`);
  },
};

for (const [what, send] of Object.entries(longTurns)) {
  Deno.test(`Outbox does not take a prompt reader for a slow one because of ${what}`, async () => {
    const subject = new Subject(100_000);
    subject.outbox.push('["before"]');
    await tick();
    send(subject.outbox);
    await tick();
    // A reader needs some time for it. Other messages are sent meanwhile.
    for (let n = 0; n < 50; n++) {
      subject.outbox.push(`["${"y".repeat(1_000)}"]`);
      await tick();
    }
    assertEquals(subject.hasOverflowed, false);
    await subject.readAll();
    assertEquals(subject.hasOverflowed, false);
    subject.outbox.close();
  });

  Deno.test(`Outbox reports a slow reader after ${what}`, async () => {
    const subject = new Subject(100_000);
    send(subject.outbox);
    await tick();
    for (let n = 0; n < 110; n++) {
      subject.outbox.push(`["${"y".repeat(1_000)}"]`);
      await tick();
    }
    assertEquals(subject.hasOverflowed, true);
    subject.outbox.close();
  });

  Deno.test(`Outbox reports a slow reader that receives ${what} twice`, async () => {
    const subject = new Subject(100_000);
    for (let n = 0; n < 2; n++) {
      send(subject.outbox);
      await tick();
    }
    assertEquals(subject.hasOverflowed, true);
    subject.outbox.close();
  });
}

Deno.test("Outbox reports a slow reader that requests long replies in one tick", async () => {
  const subject = new Subject(100_000);
  for (let n = 0; n < 4; n++) {
    beginTurn();
    subject.outbox.push(`["${"x".repeat(40_000)}"]`);
  }
  await tick();
  assertEquals(subject.hasOverflowed, true);
  subject.outbox.close();
});
