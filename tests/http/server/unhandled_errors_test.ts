import { assertEquals } from "@std/assert";
import { guardUnhandled } from "../../../src/http/server/unhandled_errors.ts";
import { Child } from "./support.ts";

function record(): { lines: unknown[]; log: { Info(): void; Warn(): void; Error(...values: unknown[]): void } } {
  const lines: unknown[] = [];
  return { lines, log: { Info() {}, Warn() {}, Error: (_text, reason) => void lines.push(reason) } };
}

/** Rejects a promise that nothing handles, and waits until all listeners have been told. */
async function reject(reason: unknown): Promise<void> {
  const told = new Promise((resolve) => globalThis.addEventListener("unhandledrejection", resolve, { once: true }));
  Promise.reject(reason);
  await told;
}

Deno.test("serve() logs an unhandled rejection and continues to serve", async () => {
  await using child = Child.serve("stray");
  const url = `http://127.0.0.1:${await child.port()}`;
  assertEquals(await (await fetch(`${url}/stray`)).text(), "hello from the child");
  assertEquals(await child.line(), "Unhandled rejection: no code awaited this");
  assertEquals(await (await fetch(url)).text(), "hello from the child");
  child.kill("SIGTERM");
  assertEquals((await child.end()).code, 0);
});

Deno.test("serve() leaves an exception thrown by a timer to Deno, which ends the process", async () => {
  await using child = Child.serve("stray");
  const url = `http://127.0.0.1:${await child.port()}`;
  await fetch(`${url}/timer`).then((response) => response.text(), () => "");
  assertEquals((await child.end()).code, 1);
});

Deno.test("serve() logs the errors of a raw WebSocket's listeners and continues to serve", async () => {
  await using child = Child.serve("stray");
  const url = `http://127.0.0.1:${await child.port()}`;
  for (
    const [message, line] of [
      ["{bad", "A WebSocket listener failed: Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
      ["text", "A WebSocket listener failed: thrown text"],
      ["deep", "A WebSocket listener failed: thrown from deep inside"],
      ["asynchronous", "Unhandled rejection: rejected by a listener"],
    ] as const
  ) {
    const socket = new WebSocket(url.replace("http", "ws"));
    const closed = new Promise((resolve) => socket.onclose = resolve);
    await new Promise((resolve) => socket.onopen = resolve);
    socket.send(message);
    assertEquals(await child.line(), line);
    socket.close();
    await closed;
    assertEquals(await child.line(), "A WebSocket listener failed: thrown on close");
  }
  assertEquals(await (await fetch(url)).text(), "hello from the child");
  child.kill("SIGTERM");
  assertEquals((await child.end()).code, 0);
});

Deno.test("serve() leaves an exception thrown by a timer of a WebSocket listener to Deno", async () => {
  await using child = Child.serve("stray");
  const socket = new WebSocket(`ws://127.0.0.1:${await child.port()}`);
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.onopen = () => socket.send("timer");
  await closed;
  assertEquals((await child.end()).code, 1);
});

Deno.test("guardUnhandled() reports to the latest active guard, and stops with the last one", async () => {
  const [first, second] = [record(), record()];
  const endFirst = guardUnhandled(first.log);
  const endSecond = guardUnhandled(second.log);
  await reject("one");
  endSecond();
  endSecond();
  await reject("two");
  assertEquals(first.lines, ["two"]);
  assertEquals(second.lines, ["one"]);
  endFirst();

  const seen: unknown[] = [];
  const listener = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    seen.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", listener);
  await reject("three");
  globalThis.removeEventListener("unhandledrejection", listener);
  assertEquals(seen, ["three"]);
  assertEquals(first.lines, ["two"]);
});

Deno.test("guardUnhandled() ignores a rejection that the application has handled", async () => {
  const { lines, log } = record();
  const listener = (event: PromiseRejectionEvent) => event.preventDefault();
  globalThis.addEventListener("unhandledrejection", listener);
  const end = guardUnhandled(log);
  await reject("known");
  end();
  globalThis.removeEventListener("unhandledrejection", listener);
  assertEquals(lines, []);
});
