import { assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import { bothWays, quiet } from "../../serving.ts";

function withRecorder(task: (recorder: fw.Recorder, ctx: fw.Context) => void | Promise<void>): fw.Application {
  const app = quiet();
  app.UseRouter((ctx) => {
    ctx.Recorder().OnSend((recorder) => task(recorder, ctx));
    return ctx.Next();
  });
  app.Get("/text", (ctx) => ctx.WriteString("héllo"));
  app.Get("/json", (ctx) => ctx.JSON({ a: 1 }));
  app.Get("/bytes", (ctx) => ctx.Write(new Uint8Array([1, 2, 3])));
  app.Get("/stream", (ctx) => ctx.Stream(["a", "b", "c"]));
  app.Get("/response", (ctx) => {
    ctx.Header("x-handler", "yes");
    return new Response("returned", { status: 201, headers: { "content-type": "text/x", "x-own": "1" } });
  });
  app.Get("/empty", (ctx) => ctx.StatusCode(204));
  app.Get("/late", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("late");
  });
  return app;
}

bothWays(
  "Recorder.Body() returns the bytes, or null for streams and returned responses",
  () =>
    withRecorder((recorder, ctx) => {
      const body = recorder.Body();
      ctx.Header("x-seen", body === null ? "null" : String(body.length));
    }),
  async (ask) => {
    const seen: Record<string, string | null> = {};
    for (const path of ["/text", "/json", "/bytes", "/stream", "/response", "/empty", "/late", "/nowhere"]) {
      seen[path] = (await ask(path)).headers.get("x-seen");
    }
    assertEquals(seen, {
      "/text": "6",
      "/json": "7",
      "/bytes": "3",
      "/stream": "null",
      "/response": "null",
      "/empty": "0",
      "/late": "4",
      "/nowhere": "9",
    });
  },
);

bothWays(
  "Recorder.ReadBody() reads any body without affecting the response",
  () =>
    withRecorder(async (recorder, ctx) => {
      const body = await recorder.ReadBody();
      ctx.Header("x-seen", body === null ? "null" : new TextDecoder().decode(body));
    }),
  async (ask) => {
    const stream = await ask("/stream");
    assertEquals([stream.text, stream.headers.get("x-seen")], ["abc", "abc"]);
    const response = await ask("/response");
    assertEquals([response.status, response.text, response.headers.get("x-seen")], [201, "returned", "returned"]);
    assertEquals(response.headers.get("content-type"), "text/x");
    assertEquals(response.headers.get("x-own"), "1");
    assertEquals(response.headers.get("x-handler"), "yes");
  },
);

bothWays(
  "Recorder.ReadBody() does not affect a body beyond its limit",
  () =>
    withRecorder(async (recorder, ctx) => {
      ctx.Header("x-seen", String(await recorder.ReadBody(2)));
    }),
  async (ask) => {
    for (const [path, text] of [["/stream", "abc"], ["/response", "returned"], ["/text", "héllo"]] as const) {
      const response = await ask(path);
      assertEquals([response.text, response.headers.get("x-seen")], [text, "null"]);
    }
  },
);

bothWays(
  "Recorder.SetBody() replaces the body and keeps the type and the status",
  () => withRecorder((recorder) => recorder.SetBody(new TextEncoder().encode("other"))),
  async (ask) => {
    const text = await ask("/text");
    assertEquals([text.text, text.headers.get("content-type")], ["other", "text/plain;charset=UTF-8"]);
    const json = await ask("/json");
    assertEquals([json.text, json.headers.get("content-type")], ["other", "application/json"]);
    const response = await ask("/response");
    assertEquals([response.status, response.text, response.headers.get("x-own")], [201, "other", "1"]);
  },
);

bothWays(
  "Recorder.ResetBody() and ResetHeaders() do not change the rest of the response",
  () =>
    withRecorder((recorder, ctx) => {
      if (ctx.Path() === "/json") recorder.ResetBody();
      else recorder.ResetHeaders();
    }),
  async (ask) => {
    assertEquals((await ask("/json")).text, "");
    const response = await ask("/response");
    assertEquals([response.text, response.headers.get("x-own"), response.headers.get("x-handler")], [
      "returned",
      null,
      null,
    ]);
  },
);

bothWays(
  "Recorder.Transform() transforms every body in reverse order, except an empty one",
  () => {
    const app = withRecorder(() => {});
    app.UseRouter((ctx) => {
      for (const suffix of ["1", "2"]) {
        ctx.Recorder().Transform((body) =>
          body.pipeThrough(
            new TransformStream({
              flush: (controller) => controller.enqueue(new TextEncoder().encode(suffix)),
            }),
          )
        );
      }
      return ctx.Next();
    });
    return app;
  },
  async (ask) => {
    assertEquals((await ask("/text")).text, "héllo21");
    assertEquals((await ask("/stream")).text, "abc21");
    assertEquals((await ask("/response")).text, "returned21");
    assertEquals((await ask("/nowhere")).text, "Not Found21");
    assertEquals((await ask("/empty")).status, 204);
    assertEquals((await ask("/json")).headers.get("content-type"), "application/json");
  },
);

Deno.test("Recorder.OnSend() fails the request if it throws", async () => {
  const app = withRecorder(() => {
    throw new fw.HTTPError(418, "No tea");
  });
  const response = await app.fetch(new Request("http://localhost/text"));
  assertEquals([response.status, await response.text()], [418, "No tea"]);
});
