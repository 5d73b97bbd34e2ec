/**
 * The backplanes that the contract is tested on.
 *
 * @module
 */

import type { Backplane } from "../../../src/live/hub/backplane.ts";
import { newMemory } from "../../../src/live/hub/memory.ts";
import * as redis from "../../../src/live/hub/redis.ts";
import * as sqlite from "../../../src/live/hub/sqlite/mod.ts";
import * as threads from "../../../src/live/hub/threads.ts";
import { withClient } from "../../state/redis/clients.ts";
import { withNats } from "./nats_clients.ts";
import { hasNats, natsNote, OwnNats } from "./own_nats.ts";

/** Two ends of a backplane. Messages published on one are received on the other. */
export interface Ends {
  readonly one: Backplane;
  readonly other: Backplane;
  close(): Promise<void>;
}

/** A kind of backplane. */
export interface Kind {
  readonly name: string;
  readonly ignore: boolean;
  open(): Ends | Promise<Ends>;
}

const url = Deno.env.get("FW_TEST_REDIS");

/** All kinds of backplanes. */
export const kinds: readonly Kind[] = [
  {
    name: "memory",
    ignore: false,
    open() {
      const one = newMemory();
      return { one, other: one, close: async () => void await one.Close() };
    },
  },
  {
    name: "threads",
    ignore: false,
    open() {
      const Name = `fw.test.${crypto.randomUUID()}`;
      return pair(() => threads.New({ Name }));
    },
  },
  {
    name: "sqlite",
    ignore: false,
    async open() {
      const folder = await Deno.makeTempDir();
      const ends = pair(() => sqlite.New({ File: `${folder}/live.db` }));
      return {
        ...ends,
        async close() {
          await ends.close();
          await Deno.remove(folder, { recursive: true });
        },
      };
    },
  },
  {
    // FW_TEST_REDIS is the URL of a Redis server that may be written to. `.ci/run` starts one.
    name: "redis",
    ignore: url === undefined,
    open() {
      const Prefix = `fw:test:${crypto.randomUUID()}:`;
      return pair(() => withClient(url ?? "", (client) => redis.New(client, { Prefix, Timeout: 30_000 })));
    },
  },
  {
    name: `nats${natsNote}`,
    ignore: !hasNats,
    async open() {
      const server = await new OwnNats().start();
      const ends = pair(() => withNats(server.url, { Timeout: 30_000 }));
      return {
        ...ends,
        async close() {
          await ends.close();
          await server.close();
        },
      };
    },
  },
];

function pair(open: () => Backplane): Ends {
  const [one, other] = [open(), open()];
  return {
    one,
    other,
    async close() {
      await other.Close();
      await one.Close();
    },
  };
}

/** Registers a test for every backplane. */
export function testEach(name: string, run: (ends: Ends) => Promise<void>): void {
  for (const kind of kinds) {
    Deno.test({
      name: `${name} (${kind.name})`,
      ignore: kind.ignore,
      async fn() {
        const ends = await kind.open();
        try {
          await run(ends);
        } finally {
          await ends.close();
        }
      },
    });
  }
}
