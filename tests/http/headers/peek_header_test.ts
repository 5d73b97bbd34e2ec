import { assertEquals, assertThrows } from "@std/assert";
import { peekHeader } from "../../../src/http/headers/header.ts";
import { sendBytes } from "../../serving.ts";

const text = "GET /a/b HTTP/1.1\r\nHost: example.com:81\r\nCookie: a=1\r\nCookie: b=2\r\nX-Two: 1\r\nX-Two: 2\r\n" +
  "X-Odd: \xe4\r\nConnection: close\r\n\r\n";
const head = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const names = ["host", "cookie", "x-two", "x-odd", "connection", "x-absent"];

/** Serves a request with a function and returns its result after the response has been sent. */
async function serveOnce<T>(read: (request: Request) => T): Promise<[Request, T]> {
  const served = Promise.withResolvers<[Request, T]>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request, info) => {
    const value = read(request);
    info.completed.then(() => served.resolve([request, value]), served.reject);
    return new Response();
  });
  await sendBytes(server.addr.port, head);
  const result = await served.promise;
  await server.shutdown();
  return result;
}

Deno.test("peekHeader() reads the same values as the headers of a request", async () => {
  const [, [peeked, read]] = await serveOnce((request) => {
    const values = names.map((name) => peekHeader(request, name));
    return [values, names.map((name) => request.headers.get(name))];
  });
  assertEquals(peeked, read);
  assertEquals(peeked, ["example.com:81", "a=1; b=2", "1, 2", "\xe4", "close", null]);
});

Deno.test("peekHeader() does not access the Headers object, which would make Deno retain it", async () => {
  const [request] = await serveOnce((request) => peekHeader(request, "host"));
  assertThrows(() => request.headers.get("host"), TypeError);
});

Deno.test("peekHeader() reads the headers of an in-process request", () => {
  const request = new Request("http://localhost/", { headers: { cookie: "a=1" } });
  assertEquals(peekHeader(request, "cookie"), "a=1");
  assertEquals(peekHeader(request, "x-absent"), null);
});

Deno.test("peekHeader() reads headers that were set on a Request", () => {
  class OtherRequest extends Request {
    override get headers(): Headers {
      return new Headers({ cookie: "b=2" });
    }
  }
  class GuardedRequest extends Request {
    readonly #headers = new Headers({ cookie: "b=2" });
    override get headers(): Headers {
      return this.#headers;
    }
  }
  const url = "http://localhost/";
  const changed = new Request(url, { headers: { cookie: "a=1" } });
  Object.defineProperty(changed, "headers", { value: new Headers({ cookie: "b=2" }) });
  const plain = { headers: new Headers({ cookie: "b=2" }) } as unknown as Request;
  for (const request of [new OtherRequest(url), new GuardedRequest(url), changed, plain]) {
    assertEquals(peekHeader(request, "cookie"), "b=2");
  }
});

Deno.test("peekHeader() reads the headers of a request that cannot be copied", () => {
  const request = new Request("http://localhost/", { headers: { cookie: "a=1" } });
  Object.defineProperty(request, "url", { value: "http://localhost/b", enumerable: true });
  assertEquals(peekHeader(request, "cookie"), "a=1");
  assertEquals(peekHeader(request, "cookie"), "a=1");
});
