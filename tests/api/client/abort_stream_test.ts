import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { quiet } from "../../serving.ts";

/** Yields numbers until the client stops reading, and then reports that it was closed. */
class Ticks {
  closed = mvc.Inject(Closed);

  async *Get(): AsyncGenerator<{ n: number }> {
    try {
      for (let n = 0;; n++) {
        yield { n };
        if (n === 1) await this.closed.signal.promise;
      }
    } finally {
      this.closed.end.resolve();
    }
  }
}

class Closed {
  readonly signal = Promise.withResolvers<void>();
  readonly end = Promise.withResolvers<void>();
}

function newApp(): { app: fw.Application; closed: Closed } {
  const app = quiet();
  const closed = new Closed();
  mvc.New(app).Register(closed).Handle(Ticks);
  return { app, closed };
}

for (const way of ["in process", "over a connection"]) {
  Deno.test(`client.New() stops a stream when Signal is aborted, ${way}`, async () => {
    const { app, closed } = newApp();
    await using server = Deno.serve({ port: 0, onListen() {} }, app.fetch);
    const Fetch = way === "in process" ? { Fetch: app.fetch } : {};
    const stop = new AbortController();
    const ticks = client.New<Ticks>(`http://localhost:${server.addr.port}`, Fetch);
    const [stream, error] = await ticks.Get({ Signal: stop.signal });
    if (error !== null) throw error;
    const seen: number[] = [];
    const failure = await assertRejects(async () => {
      for await (const { n } of stream) {
        seen.push(n);
        if (n === 1) stop.abort(new Error("enough"));
      }
    }, Error);
    assertEquals([seen, failure.message], [[0, 1], "enough"]);
    closed.signal.resolve();
    await closed.end.promise;
  });
}

Deno.test("client.New() reads a whole response in process with a signal that is not aborted", async () => {
  class Teas {
    Get() {
      return { name: "Assam" };
    }
  }
  const app = fw.New();
  mvc.New(app).Handle(Teas);
  const teas = client.New<Teas>("http://localhost", { Fetch: app.fetch, Signal: new AbortController().signal });
  assertEquals(await teas.Get(), [{ name: "Assam" }, null] as never);
});
