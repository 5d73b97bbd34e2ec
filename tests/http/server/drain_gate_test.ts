import { assert, assertEquals, assertFalse, assertStrictEquals, assertThrows } from "@std/assert";
import { makeGate, type ServeHandler } from "../../../src/http/server/drain_gate.ts";

const request = new Request("http://localhost/");
const info: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
  completed: Promise.resolve(),
};

async function respondWhileHeld(fetch: ServeHandler): Promise<Response> {
  const gate = makeGate(fetch);
  gate.hold();
  const response = gate.handler(request, info);
  gate.release();
  return await response;
}

Deno.test("Gate.handler() returns the handler's response or promise unchanged while responses are not held", () => {
  const response = new Response("x");
  const promise = Promise.resolve(response);
  assertStrictEquals(makeGate(() => response).handler(request, info), response);
  assertStrictEquals(makeGate(() => promise).handler(request, info), promise);
});

Deno.test("Gate.handler() passes on the request and the connection", () => {
  let seen: unknown[] = [];
  makeGate((...args) => {
    seen = args;
    return new Response();
  }).handler(request, info);
  assertStrictEquals(seen[0], request);
  assertStrictEquals(seen[1], info);
});

Deno.test("Gate.hold() delays a response until Gate.release()", async () => {
  const gate = makeGate(() => new Response("x"));
  gate.hold();
  let isOut = false;
  const response = Promise.resolve(gate.handler(request, info)).then(() => isOut = true);
  await new Promise((resolve) => setTimeout(resolve));
  assertFalse(isOut);
  assertEquals(gate.count(), 1);
  gate.release();
  await response;
  assert(isOut);
});

Deno.test("Gate.hold() adds Connection: close to responses", async () => {
  assertEquals((await respondWhileHeld(() => new Response("x"))).headers.get("connection"), "close");
  assertEquals((await respondWhileHeld(() => Promise.resolve(Response.json(1)))).headers.get("connection"), "close");
});

Deno.test("Gate.hold() copies a response whose headers cannot be changed", async () => {
  const response = await respondWhileHeld(() => Response.redirect("http://localhost/there", 303));
  assertEquals(response.status, 303);
  assertEquals(response.headers.get("location"), "http://localhost/there");
  assertEquals(response.headers.get("connection"), "close");
});

Deno.test("Gate.hold() does not change a response that cannot be sent", async () => {
  const response = Response.error();
  assertStrictEquals(await respondWhileHeld(() => response), response);
});

Deno.test("Gate.isInside() is true only while a handler runs, even if it throws", () => {
  const seen: boolean[] = [];
  const gate = makeGate((): Response => {
    seen.push(gate.isInside());
    throw new Error("on purpose");
  });
  assertFalse(gate.isInside());
  assertThrows(() => gate.handler(request, info), Error, "on purpose");
  assertEquals(seen, [true]);
  assertFalse(gate.isInside());
});
