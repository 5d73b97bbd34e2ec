import { assert, assertEquals } from "@std/assert";
import { garbage, reader, send } from "../../testdata/forms/garbage.ts";

const count = 500;

Deno.test("Body never causes a 5xx response for random bytes, in process", async () => {
  const folder = await Deno.makeTempDir();
  const app = reader(folder);
  const seen = new Set<number>();
  for (let number = 0; number < count; number++) {
    const { method, path, type, body } = garbage(number);
    const response = await app.fetch(
      new Request(`http://localhost${path}`, { method, body, headers: { "content-type": type } }),
    );
    await response.body?.cancel();
    assert(response.status < 500, `number ${number} got ${response.status}`);
    seen.add(response.status);
  }
  assertEquals([...seen].sort(), [200, 400, 413, 415]);
  assertEquals([...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".part")), []);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Body never causes a 5xx response for random bytes, over a socket", async () => {
  const folder = await Deno.makeTempDir();
  const app = reader(folder);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  for (let number = 0; number < count; number++) {
    const request = garbage(number);
    const status = await send(server.addr.port, request);
    assert(status < 500, `number ${number} got ${status}`);
    // A client that disconnects may get no response, but all others must get one.
    if (request.framing === "declared" || request.framing === "chunked") assert(status >= 200, `number ${number}`);
  }
  await server.shutdown();
  assertEquals([...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".part")), []);
  await Deno.remove(folder, { recursive: true });
});
