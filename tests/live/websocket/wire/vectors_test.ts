/** The test vectors of the protocol, which `examples/book/reference/live-protocol.md` describes, against fw's own codec. */

import { assertEquals } from "@std/assert";
import type { Position } from "../../../../src/live/hub/backplane.ts";
import type { Gap } from "../../../../src/live/hub/channel.ts";
import { type Codec, type Failure, liveCodec } from "../../../../src/live/websocket/wire/codec.ts";
import { Op, type Packet, readBytes, readPackets } from "../../../../src/live/websocket/wire/packet.ts";

/** Bytes, as hexadecimal digits. */
interface Hex {
  readonly hex: string;
}

interface Vectors {
  readonly client: readonly { name: string; packet: unknown[]; text?: string; hex?: string }[];
  readonly malformed: readonly { name: string; text?: string; hex?: string }[];
  readonly server: readonly {
    name: string;
    encode?: [keyof Codec, ...unknown[]];
    messages: (string | Hex)[];
    packets: unknown[][];
  }[];
  readonly reconnect: readonly { code: number; reconnects: boolean }[];
}

const source = await Deno.readTextFile(new URL("./vectors.json", import.meta.url));
const vectors = JSON.parse(source, (_name, value, context?: { source?: string }) => {
  return /^\d{16,}$/.test(context?.source ?? "") ? BigInt(context?.source ?? "") : value;
}) as Vectors;

function isHex(value: unknown): value is Hex {
  return typeof value === "object" && value !== null && "hex" in value;
}

/** Replaces hexadecimal digits with bytes. */
function withBytes(values: readonly unknown[]): unknown[] {
  return values.map((value) => isHex(value) ? Uint8Array.fromHex(value.hex) : value);
}

function messageOf({ text, hex }: { readonly text?: string; readonly hex?: string }): string | ArrayBuffer {
  return text ?? Uint8Array.fromHex(hex ?? "").buffer;
}

Deno.test("liveCodec reads every client packet of the vectors, and refuses malformed ones", () => {
  for (const vector of vectors.client) {
    const packets = liveCodec.reader()(messageOf(vector));
    assertEquals([vector.name, packets], [vector.name, [withBytes(vector.packet)]]);
  }
  for (const vector of vectors.malformed) {
    assertEquals([vector.name, liveCodec.reader()(messageOf(vector))], [vector.name, undefined]);
  }
});

/** Serializes a packet with the function of the codec that a vector names. */
function encode([name, ...values]: readonly [keyof Codec, ...unknown[]]): unknown {
  const [one, two, three, four] = values as [never, never, never, never];
  const calls: Partial<Record<keyof Codec, () => unknown>> = {
    gap: () => liveCodec.gap(one, two, three as Gap, four as Position),
    moved: () => liveCodec.moved(one, two, three as Position ?? undefined),
    failure: () => liveCodec.failure(one, two, three as Failure),
    refused: () => liveCodec.refused(one, two, three as Failure),
  };
  const call = calls[name] ?? (() => (liveCodec[name] as (...args: unknown[]) => unknown)(...values));
  return call();
}

Deno.test("liveCodec writes every server packet of the vectors", () => {
  for (const { name, encode: call, messages, packets } of vectors.server) {
    if (call !== undefined) {
      const [codec, ...values] = call;
      const message = encode([codec, ...withBytes(values)]);
      const [expected] = withBytes(messages);
      assertEquals([name, message], [name, expected]);
    }
    const whole = messages.map((each) => isHex(each) ? each : each.replace(/^[+=]/, ""));
    const found: readonly Packet[] = isHex(whole[0])
      ? [readBytes(Uint8Array.fromHex(whole[0].hex).buffer) ?? []]
      : readPackets(whole.join("")) ?? [];
    assertEquals([name, found], [name, packets.map(withBytes)]);
  }
});

Deno.test("the vectors contain every packet type", () => {
  const used = [...vectors.client.map(({ packet }) => packet), ...vectors.server.flatMap(({ packets }) => packets)];
  const types = new Set(used.map(([type]) => type));
  assertEquals(Object.values(Op).filter((op) => op >= 0 && !types.has(op)), []);
});
