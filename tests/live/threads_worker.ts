/**
 * A thread of the test of threads: it follows a topic, and is busy for a while when it is told.
 *
 * @module
 */

import { Channel, type Sink } from "../../src/live/channel.ts";
import * as threads from "../../src/live/threads.ts";

const scope = self as unknown as {
  postMessage(value: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
};

scope.onmessage = async ({ data: { Name, wanted } }) => {
  const backplane = threads.New({ Name });
  const channel = new Channel("news", backplane, () => {});
  const seen: string[] = [];
  const sink: Sink = {
    isOpen: true,
    deliver(_channel, { Payload }) {
      // Busy: what is posted meanwhile waits, and beyond 256 messages it is dropped.
      if (seen.push(Payload) === 1) { for (const end = performance.now() + 300; performance.now() < end;); }
      if (seen.length === wanted) scope.postMessage(seen);
    },
    skip: (_channel, gap) => scope.postMessage(gap),
  };
  await channel.add(sink);
  setInterval(() => channel.check(), 200);
  scope.postMessage("ready");
};
