import { assert, assertEquals, assertFalse, assertStrictEquals, assertThrows } from "@std/assert";
import { type Fetch, makeGate } from "../../src/server/drain_gate.ts";

const request = new Request("http://localhost/");
const info: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
  completed: Promise.resolve(),
};

async function answerWhileHeld(fetch: Fetch): Promise<Response> {
  const gate = makeGate(fetch);
  gate.hold();
  const answer = gate.handler(request, info);
  gate.release();
  return await answer;
}

Deno.test("Gate.handler() hands on the very answer, be it a response or a promise, while nothing is held", () => {
  const response = new Response("x");
  const promise = Promise.resolve(response);
  assertStrictEquals(makeGate(() => response).handler(request, info), response);
  assertStrictEquals(makeGate(() => promise).handler(request, info), promise);
});

Deno.test("Gate.handler() passes the request and the connection on", () => {
  let seen: unknown[] = [];
  makeGate((...args) => {
    seen = args;
    return new Response();
  }).handler(request, info);
  assertStrictEquals(seen[0], request);
  assertStrictEquals(seen[1], info);
});

Deno.test("Gate.hold() keeps an answer back until Gate.release()", async () => {
  const gate = makeGate(() => new Response("x"));
  gate.hold();
  let isOut = false;
  const answer = Promise.resolve(gate.handler(request, info)).then(() => isOut = true);
  await new Promise((resolve) => setTimeout(resolve));
  assertFalse(isOut);
  assertEquals(gate.count(), 1);
  gate.release();
  await answer;
  assert(isOut);
});

Deno.test("Gate.hold() makes answers say that the connection will be closed", async () => {
  assertEquals((await answerWhileHeld(() => new Response("x"))).headers.get("connection"), "close");
  assertEquals((await answerWhileHeld(() => Promise.resolve(Response.json(1)))).headers.get("connection"), "close");
});

Deno.test("Gate.hold() copies an answer whose headers cannot be changed", async () => {
  const answer = await answerWhileHeld(() => Response.redirect("http://localhost/there", 303));
  assertEquals(answer.status, 303);
  assertEquals(answer.headers.get("location"), "http://localhost/there");
  assertEquals(answer.headers.get("connection"), "close");
});

Deno.test("Gate.hold() leaves an answer alone that no server can send", async () => {
  const answer = Response.error();
  assertStrictEquals(await answerWhileHeld(() => answer), answer);
});

Deno.test("Gate.isInside() is true only while a handler runs, also when it throws", () => {
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
