import { assertEquals, assertRejects } from "@std/assert";
import { type Flight, InFlight } from "../../../../src/core/exchange/ending/in_flight.ts";

function addTo(inFlight: InFlight<string>, name: string): [Flight<string>, Promise<Response>] {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  return [inFlight.add(name, resolve, reject), promise];
}

Deno.test("InFlight.drained() resolves when all requests have ended, in any order", async () => {
  const inFlight = new InFlight<string>();
  await inFlight.drained();
  const [[first, one], [second, two], [third, three]] = [
    addTo(inFlight, "first"),
    addTo(inFlight, "second"),
    addTo(inFlight, "third"),
  ];
  let isDrained = false;
  const drained = inFlight.drained().then(() => isDrained = true);
  inFlight.send(second, new Response("2"));
  inFlight.fail(third, new Error("3"));
  await assertRejects(() => three, Error, "3");
  assertEquals([await (await two).text(), isDrained], ["2", false]);
  inFlight.send(first, new Response("1"));
  await drained;
  assertEquals(await (await one).text(), "1");
});

Deno.test("InFlight.endAll() ends the requests that are left, and ignores their later ends", async () => {
  const inFlight = new InFlight<string>();
  const [over] = addTo(inFlight, "over");
  const [late, cutOff] = addTo(inFlight, "late");
  inFlight.send(over, new Response());
  const ended: string[] = [];
  inFlight.endAll((flight) => {
    ended.push(flight.request);
    inFlight.send(flight, new Response("cut off"));
  });
  const [next] = addTo(inFlight, "next");
  // A request that was cut off ends again when its handler does.
  inFlight.fail(late, new Error("late"));
  inFlight.send(late, new Response("late"));
  inFlight.endAll((flight) => {
    ended.push(flight.request);
    inFlight.send(flight, new Response());
  });
  assertEquals([ended, next.isOver, await (await cutOff).text()], [["late", "next"], true, "cut off"]);
});
