import { assert, assertEquals } from "@std/assert";
import { SlowReader } from "../../src/websocket/slow_reader.ts";

/** A connection whose reader is stalled until the test releases it. */
class Stalled {
  buffered = 0;
  readonly sent: unknown[] = [];
  isWatched = false;
  readonly host = { settings: { maxBuffered: 100 } };

  send(packet: unknown): void {
    this.sent.push(packet);
  }

  watch(): void {
    this.isWatched = true;
  }
}

Deno.test("SlowReader holds the latest message of each key, and says first what is missing", () => {
  const link = new Stalled();
  const reader = new SlowReader(link);
  assertEquals(reader.takes("a1", "a", () => "lost from 1"), false);
  link.buffered = 200;
  assert(reader.takes("a2", "a", () => "lost from 2"));
  assert(link.isWatched);
  link.buffered = 0;
  for (const n of [3, 4, 5]) assert(reader.takes(`a${n}`, "a", () => `lost from ${n}`));
  assert(reader.takes("b1", "b", () => "lost of b"));
  reader.caughtUp();
  assertEquals(link.sent, ["lost from 2", "a5", "b1"]);
  assertEquals(reader.takes("a6", "a"), false);
});
