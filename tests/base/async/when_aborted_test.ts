import { assertEquals } from "@std/assert";
import { whenAborted } from "../../../src/base/async/when_aborted.ts";

Deno.test("whenAborted() runs all tasks that still wait, even if one of them fails", () => {
  const controller = new AbortController();
  const ran: string[] = [];
  const failed: string[] = [];
  const report = (event: ErrorEvent) => {
    event.preventDefault();
    failed.push(event.message);
  };
  addEventListener("error", report);
  try {
    whenAborted(controller.signal, () => ran.push("first"));
    whenAborted(controller.signal, () => {
      throw new Error("No pot");
    });
    const forget = whenAborted(controller.signal, () => ran.push("forgotten"));
    whenAborted(controller.signal, () => ran.push("last"));
    forget();
    controller.abort();
  } finally {
    removeEventListener("error", report);
  }
  assertEquals(ran, ["first", "last"]);
  assertEquals(failed, ["Uncaught Error: No pot"]);
});

Deno.test("whenAborted() waits again after all waits were ended, and not for an aborted signal", () => {
  const controller = new AbortController();
  const ran: string[] = [];
  whenAborted(controller.signal, () => ran.push("ended"))();
  whenAborted(controller.signal, () => ran.push("again"));
  controller.abort();
  whenAborted(controller.signal, () => ran.push("late"));
  assertEquals(ran, ["again"]);
});
