/**
 * A thread for the thread tests. It follows a topic and can be kept busy for a while.
 *
 * @module
 */

import { Channel, type Sink } from "../../../src/live/hub/channel.ts";
import * as threads from "../../../src/live/hub/threads.ts";

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
      // While the thread is busy, posted messages wait. If there are more than 256, they are dropped.
      if (seen.push(Payload) === 1) { for (const end = performance.now() + 300; performance.now() < end;); }
      if (seen.length === wanted) scope.postMessage(seen);
    },
    skip: (_channel, gap) => scope.postMessage(gap),
  };
  await channel.add(sink);
  setInterval(() => channel.check(), 200);
  scope.postMessage("ready");
};
