import { assertEquals, assertRejects } from "@std/assert";
import * as client from "../../../../src/live/answers/client/mod.ts";

/** Creates a `fetch` function that responds with bodies in turn, and records its requests. */
function script(...bodies: readonly (string | number | TypeError)[]) {
  const requests: [method: string, url: string, lastID: string][] = [];
  const send: client.Fetch = (input, init) => {
    const body = bodies[requests.length];
    requests.push([init?.method ?? "GET", String(input), new Headers(init?.headers).get("last-event-id") ?? ""]);
    if (body instanceof TypeError) return Promise.reject(body);
    if (typeof body === "number") return Promise.resolve(new Response(null, { status: body }));
    const headers = { "x-vercel-ai-ui-message-stream": "v1" };
    return Promise.resolve(new Response(broken(body ?? ""), { headers }));
  };
  return { requests, send };
}

/** Creates a body that fails at its end if the answer is not complete. */
function broken(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else controller.error(new TypeError("network error"));
    },
  });
}

const post = { method: "POST", body: '{"id":"a b"}', headers: { "content-type": "application/json", "x-user": "ada" } };

Deno.test("NewFetch() continues an answer after the last complete event, and never repeats the request that starts it", async () => {
  const { requests, send } = script(
    ":\n\nid: r.1\ndata: 1\n\nid: r.2\nda",
    new TypeError("Failed to fetch"),
    503,
    "id: r.2\ndata: 2\n\ndata: [DONE]\n\n",
  );
  const response = await client.NewFetch({ Fetch: send })("/api/chat", post);
  assertEquals(await response.text(), ":\n\nid: r.1\ndata: 1\n\nid: r.2\ndata: 2\n\ndata: [DONE]\n\n");
  assertEquals(requests, [
    ["POST", "/api/chat", ""],
    ["GET", "/api/chat/a%20b/stream", "r.1"],
    ["GET", "/api/chat/a%20b/stream", "r.1"],
    ["GET", "/api/chat/a%20b/stream", "r.1"],
  ]);
});

Deno.test("NewFetch() continues a request that resumes an answer at its own URL, and ends at 204", async () => {
  const { requests, send } = script("id: r.7\ndata: 7\n\n", 204);
  const response = await client.NewFetch({ Fetch: send })("/api/chat/a/stream");
  assertEquals(await response.text(), "id: r.7\ndata: 7\n\n");
  assertEquals(requests.at(-1), ["GET", "/api/chat/a/stream", "r.7"]);
});

Deno.test("NewFetch() returns other responses and failures unchanged", async () => {
  const { send } = script(204, new TypeError("Failed to fetch"));
  const fetch = client.NewFetch({ Fetch: send });
  assertEquals((await fetch("/api/chat/a/stream")).status, 204);
  await assertRejects(() => fetch("/api/chat", post), TypeError);
});

Deno.test("NewFetch() fails if the answer is refused, if its time is up, or if its signal is aborted", async () => {
  const refused = script("id: r.1\ndata: 1\n\n", 401);
  await assertRejects(
    async () => await (await client.NewFetch({ Fetch: refused.send })("/api/chat", post)).text(),
    Error,
    "Cannot continue the answer: the status is 401",
  );
  const late = script("id: r.1\ndata: 1\n\n", 503, 503, 503);
  await assertRejects(
    async () => await (await client.NewFetch({ Fetch: late.send, Patience: 200 })("/api/chat", post)).text(),
    TypeError,
    "Cannot continue the answer: the network is not available",
  );
  const abort = new AbortController();
  const aborted = script("id: r.1\ndata: 1\n\n", 503);
  const response = await client.NewFetch({ Fetch: aborted.send })("/api/chat", { ...post, signal: abort.signal });
  const reading = response.text();
  abort.abort(new DOMException("Stopped", "AbortError"));
  await assertRejects(() => reading, DOMException, "Stopped");
});
