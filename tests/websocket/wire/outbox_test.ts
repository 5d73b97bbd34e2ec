import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { setImmediate } from "node:timers";
import { Outbox } from "../../../src/websocket/wire/outbox.ts";
import { partsOf } from "../../../src/websocket/wire/packet.ts";
import type { Socket } from "../../../src/websocket/wire/socket.ts";

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

Deno.test("Outbox reports a slow reader, but not because of a single long message", async () => {
  const subject = new Subject(100_000);
  subject.outbox.push(`["${"x".repeat(300_000)}"]`);
  await tick();
  assertEquals(subject.hasOverflowed, false);
  subject.outbox.push('["one more"]');
  await tick();
  assertEquals(subject.hasOverflowed, true);
  subject.outbox.close();
});
