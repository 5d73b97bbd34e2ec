/** A client in Python, written from `examples/book/reference/live-protocol.md`, against the test vectors and a server. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { HTTPError } from "../../../src/base/errors/errors.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

const hasPython = await run("-c", "import sys; sys.exit(sys.version_info < (3, 9))").then(() => true, () => false);
const note = hasPython ? "" : " (python3 is not installed)";

/** Runs Python and returns its output. */
async function run(...args: readonly string[]): Promise<string> {
  const command = new Deno.Command("python3", { args: ["-B", ...args], stdout: "piped", stderr: "piped" });
  const { success, stdout, stderr } = await command.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

function path(name: string): string {
  return fromFileUrl(new URL(name, import.meta.url));
}

Deno.test({
  name: `the Python client passes the test vectors${note}`,
  ignore: !hasPython,
  async fn() {
    const count = Number(await run(path("./python/check_vectors.py"), path("./wire/vectors.json")));
    const vectors = JSON.parse(await Deno.readTextFile(path("./wire/vectors.json")));
    assertEquals(count, vectors.client.length + vectors.server.length + vectors.reconnect.length);
  },
});

Deno.test({
  name: `the Python client asks, joins, rewinds, watches, resumes and notices gaps${note}`,
  ignore: !hasPython,
  async fn() {
    const app = quiet();
    const hub = live.New();
    const server = websocket.New({ Hub: hub, Rooms: { History: 100 }, Presence: true, IdleTimeout: 800 });
    const notes: unknown[] = [];
    let counted = 0;
    server.On(websocket.OnRoomJoin, (_conn, room, params) => room !== "secret" && { hello: params?.nick ?? "nobody" });
    server.On("echo", (_conn, data) => data);
    server.On("long", (_conn, length) => "ä".repeat(length));
    server.On("note", (_conn, text) => void notes.push(text));
    server.On("notes", () => notes);
    server.On("fail", () => {
      throw new HTTPError(418, "A teapot");
    });
    server.On("askMe", (conn) => {
      void conn.Ask("question").then((reply) => notes.push(reply));
      return "asked";
    });
    server.On("count", () => ++counted);
    server.On("say", (conn, text) => conn.To("tea").Emit("said", text));
    server.On("sayBytes", (conn) => conn.To("tea").Emit("raw", new Uint8Array([1, 2, 3])));
    server.On("cut", async (conn, count) => {
      conn.Close(4000);
      for (let at = 1; at <= count; at++) await server.To("tea").Emit("said", `missed ${at}`);
    });
    for (const text of ["one", "two", "three"]) await server.To("tea").Emit("said", text);
    app.Get("/ws", websocket.Handler(server));
    await overSocket(app, async (_ask, port) => {
      const results = JSON.parse(await run(path("./python/talk.py"), String(port)));
      assertEquals(results, {
        echo: true,
        long: 100_000,
        bytes: true,
        batch: ["a", "b"],
        statuses: [404, 418, 403, 403, 404],
        asked: "asked",
        once: [1, 1, 2],
        joined: { hello: "Ada" },
        rewound: ["two", "three"],
        listed: 2,
        cut: 4000,
        resumed: ["two", "three", "while connected", "missed 1", "missed 2"],
        raw: true,
        gap: [[50, "history"]],
        after: [100, "missed 51", "missed 150"],
        pings: true,
        alive: "still here",
      });
    });
    assertEquals(notes.at(-1), "python heard question");
    await hub.Close();
  },
});
