/** The server for the `events` benchmark, either fw or an equivalent plain `Deno.serve`. Prints its port. */

import * as fw from "../../mod.ts";
import * as live from "../../src/live/hub/mod.ts";

/** A publication, as its response describes it. */
export interface Publication {
  /** The time of the publication, in milliseconds since 1970. */
  readonly at: number;
  /** The longest time for which the event loop was held, in milliseconds. */
  readonly held: number;
}

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

const text = "x".repeat(100);
const { serve, publish } = Deno.args[0] === "fw" ? framework() : platform();

function framework(): { serve: Handler; publish: (id: string) => void } {
  const topic = live.New().Topic("news", { History: 10, For: 60_000 });
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/", (ctx) => ctx.Events(topic.Events()));
  return { serve: app.fetch, publish: (id) => void topic.Publish("news", { id, text }) };
}

function platform(): { serve: Handler; publish: (id: string) => void } {
  const encoder = new TextEncoder();
  const streams = new Set<ReadableStreamDefaultController>();
  return {
    serve: () => {
      const body = new ReadableStream({
        start(stream) {
          streams.add(stream);
          stream.enqueue(encoder.encode(":\n\n"));
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
    publish: (id) => {
      const bytes = encoder.encode(`id: ${id}\nevent: news\ndata: ${JSON.stringify({ id, text })}\n\n`);
      for (const stream of streams) stream.enqueue(bytes);
    },
  };
}

/** Publishes an event and measures the event loop until most of the deliveries are over. */
async function measure(id: string): Promise<Publication> {
  const begin = performance.now();
  publish(id);
  let held = 0;
  for (let last = begin; last - begin < 1_000;) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    const now = performance.now();
    held = Math.max(held, now - last);
    last = now;
  }
  return { at: performance.timeOrigin + begin, held };
}

function tell(address: Deno.NetAddr): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${address.port}\n`));
}

Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: tell }, async (request, info) => {
  const { pathname, search } = new URL(request.url);
  return pathname === "/publish" ? Response.json(await measure(search.slice(1))) : await serve(request, info);
});
