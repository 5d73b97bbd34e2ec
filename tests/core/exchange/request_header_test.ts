import { assertEquals, assertThrows } from "@std/assert";
import { handlerHeaders, ownHeader } from "../../../src/core/exchange/request_header.ts";

/** Serves a request with a function and returns the request after its response has been sent. */
async function served(serve: (request: Request, connection: Deno.ServeHandlerInfo) => void): Promise<Request> {
  const left = Promise.withResolvers<Request>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request, info) => {
    serve(request, info);
    info.completed.then(() => left.resolve(request), left.reject);
    return new Response();
  });
  await (await fetch(`http://127.0.0.1:${server.addr.port}/`, { headers: { "x-asked": "1" } })).body?.cancel();
  const request = await left.promise;
  await server.shutdown();
  return request;
}

Deno.test("ownHeader() reads the Headers object only if handlers of the route have done so before", async () => {
  const route = { readsHeaders: false };
  const values: (string | null)[] = [];
  const first = await served((request, connection) => {
    values.push(ownHeader({ request, connection, route }, "x-asked"));
  });
  // Deno does not keep headers that have not been accessed.
  assertThrows(() => first.headers.get("x-asked"), TypeError);
  await served((request, connection) => {
    values.push(handlerHeaders({ request, connection, route }).get("x-asked"));
  });
  assertEquals(route.readsHeaders, true);
  const third = await served((request, connection) => {
    values.push(ownHeader({ request, connection, route }, "x-asked"));
  });
  assertEquals(third.headers.get("x-asked"), "1");
  assertEquals(values, ["1", "1", "1"]);
});

Deno.test("ownHeader() reads the headers of in-process requests and of requests without a route", () => {
  const request = new Request("http://localhost/", { headers: { "x-asked": "1" } });
  const route = { readsHeaders: false };
  assertEquals(ownHeader({ request, connection: undefined, route }, "x-asked"), "1");
  assertEquals(ownHeader({ request, connection: {}, route: undefined }, "x-asked"), "1");
  assertEquals(ownHeader({ request, connection: {}, route }, "x-absent"), null);
});
