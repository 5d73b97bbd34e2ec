/** Tests that an event has the same limits, errors and repetitions as a request. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import { Op } from "../../../src/live/websocket/wire/packet.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { logged } from "../../serving.ts";
import { sendPacket } from "./send_packet.ts";

type Tree = { children: Tree[] };
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(tree) }));
const order = z.object({ count: z.number("order.count") });

let orders = 0;

class ShopController {
  Conn!: websocket.Conn;

  OnTree(_input = mvc.Body(tree)) {
    return "read";
  }

  OnEcho(value: unknown) {
    return value === undefined ? null : "read";
  }

  OnNumber(value = 0) {
    orders++;
    return value;
  }

  OnOrder(input = mvc.Body(order)) {
    orders++;
    if (input.count > 10) throw new fw.HTTPError(409, "Sold out");
    if (input.count > 5) throw new Error("secret");
    return { count: input.count, orders };
  }

  OnThrow(name = "") {
    throw thrown[name]?.();
  }

  OnAsk() {
    return this.Conn.Ask("question").catch(({ message }) => message);
  }
}

const thrown: Readonly<Record<string, () => unknown>> = {
  http: () => new fw.HTTPError(418, "Short and stout"),
  bare: () => new fw.HTTPError(404),
  problem: () =>
    fw.NewProblem({
      Type: "https://shop.example/credit",
      Title: "No credit",
      Status: 403,
      Extensions: { cents: 2n ** 60n },
    }),
  validation: () => new fw.ValidationError([{ Path: ["count"], Message: "order.count" }]),
  response: () => new Response("secret", { status: 403 }),
  broken: () => Object.assign(new fw.HTTPError(418, "Pot"), { Problem: () => JSON.parse("secret") }),
  circular: () => {
    const Extensions: Record<string, unknown> = {};
    return fw.NewProblem({ Extensions: Object.assign(Extensions, { Extensions }) });
  },
  error: () => new Error("secret"),
  text: () => "secret",
  nothing: () => undefined,
};

function site() {
  const { app, lines } = logged();
  const texts = {
    "en-US": { order: { count: "{{.field}} is not a number" } },
    "el-GR": { order: { count: "Το {{.field}} δεν είναι αριθμός" } },
  };
  app.I18n.LoadKV(texts, "en-US", "el-GR");
  app.Configure(fw.WithoutPathCorrectionRedirection);
  const server = websocket.New({ Hub: live.New(), MaxMessage: 1 << 20 });
  mvc.New(app.Party("/ws")).Register(server).HandleWebsocket(ShopController);
  app.Get("/io", socketio.Handler(server));
  return { test: httptest.New(app), lines };
}

function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

function deepTree(levels: number): string {
  return '{"children":['.repeat(levels) + "]}".repeat(levels);
}

Deno.test("Server refuses data that is nested too deeply with 400, and the connection stays open", async () => {
  const { test, lines } = site();
  const socket = await test.WebSocket("/ws");
  for (const [event, data] of [["tree", deepTree(20_000)], ["echo", nested(20_000)], ["echo", nested(401)]]) {
    for (const fields of [`"","${event}",${data}`, `"","${event}",${data},"key"`]) {
      const op = fields.endsWith('"key"') ? Op.Once : Op.Event;
      const { error } = await sendPacket(socket, op, fields);
      assertEquals([error?.Status, error?.Message.includes("400 levels")], [400, true]);
    }
  }
  assertEquals((await sendPacket(socket, Op.Event, `"","echo",${nested(400)}`)).reply, "read");
  assertEquals((await sendPacket(socket, Op.Once, `"","echo",${nested(400)},"key"`)).reply, "read");
  assertEquals((await sendPacket(socket, Op.Connect, `"",{},${nested(20_000)}`)).error?.Status, 400);
  socket.Handle("question", () => JSON.parse(nested(20_000)));
  assertStringIncludes(String(await socket.Ask("ask")), "400 levels");
  await socket.Close();
  assertEquals(lines, []);
});

Deno.test("Handler() of socketio refuses data that is nested too deeply with 400", async () => {
  const { test, lines } = site();
  const socket = await test.WebSocket("/io?EIO=4&transport=websocket", { Protocols: [] });
  socket.Write("40");
  await socket.ExpectMessage();
  await socket.ExpectMessage();
  for (const args of [deepTree(20_000), `1,${nested(20_000)}`]) {
    socket.Write(`427["tree",${args}]`);
    assertStringIncludes(String(await socket.ExpectMessage()), '437[{"error":{"Status":400');
  }
  await socket.Close();
  assertEquals(lines, []);
});

Deno.test("Server sends validation errors in the language of the handshake", async () => {
  const { test } = site();
  for (const [language, detail] of [["el-GR", "Το count δεν είναι αριθμός"], ["en-US", "count is not a number"]]) {
    const socket = await test.WebSocket("/ws", { Headers: { "accept-language": language ?? "" } });
    for (const fields of ['"","order",{"count":"x"}', '"","throw","validation"']) {
      const { error } = await sendPacket(socket, Op.Event, fields);
      const errors = error?.Errors as { detail: string; pointer: string }[];
      assertEquals([error?.Status, errors[0]?.detail, errors[0]?.pointer], [422, detail, "#/count"]);
    }
    await socket.Close();
  }
  const io = await test.WebSocket("/io?EIO=4&transport=websocket", {
    Protocols: [],
    Headers: { "accept-language": "el-GR" },
  });
  io.Write("40");
  await io.ExpectMessage();
  await io.ExpectMessage();
  io.Write('420["order",{"count":"x"}]');
  assertStringIncludes(String(await io.ExpectMessage()), "Το count δεν είναι αριθμός");
  await io.Close();
});

Deno.test("Server sends the status, message and problem details of errors, and nothing about unexpected ones", async () => {
  const { test, lines } = site();
  const socket = await test.WebSocket("/ws");
  const seen: Record<string, unknown[]> = {};
  for (const name of Object.keys(thrown)) {
    const { error, text } = await sendPacket(socket, Op.Event, `"","throw","${name}"`);
    seen[name] = [error?.Status, error?.Message, error?.Problem === undefined];
    assertEquals(text.includes("secret"), false);
  }
  assertEquals(seen, {
    http: [418, "Short and stout", true],
    bare: [404, "Not Found", true],
    problem: [403, "No credit", false],
    validation: [422, "Cannot accept the input: 1 value does not match its schema", false],
    response: [403, "Forbidden", true],
    broken: [500, "Internal Server Error", true],
    circular: [500, "Internal Server Error", true],
    error: [500, "Internal Server Error", true],
    text: [500, "Internal Server Error", true],
    nothing: [500, "Internal Server Error", true],
  });
  const { error } = await sendPacket(socket, Op.Event, '"","throw","problem"');
  assertEquals(error?.Problem, {
    type: "https://shop.example/credit",
    title: "No credit",
    status: 403,
    cents: 2n ** 60n,
  });
  await socket.Close();
  assertEquals(lines.filter((line) => line.includes("Cannot handle the event")).length, 5);
});

Deno.test("Server runs an event with a key again after it was refused, and repeats every other outcome", async () => {
  const { test, lines } = site();
  const socket = await test.WebSocket("/ws");
  orders = 0;
  const send = async (data: string, key: string, event = "order") => {
    const { reply, error } = await sendPacket(socket, Op.Once, `"","${event}",${data},"${key}"`);
    return error?.Status ?? reply;
  };
  assertEquals([await send('{"count":"x"}', "a"), await send('{"count":"x"}', "a")], [422, 422]);
  assertEquals([await send('"x"', "a", "number"), await send("7", "a", "number")], [422, 7]);
  assertEquals([await send("1", "a", "none"), await send("1", "a", "none")], [404, 404]);
  orders = 0;
  assertEquals(await send('{"count":1}', "a"), { count: 1, orders: 1 });
  assertEquals(await send('{"count":1}', "a"), { count: 1, orders: 1 });
  assertEquals([await send('{"count":11}', "b"), await send('{"count":2}', "b")], [409, { count: 2, orders: 3 }]);
  const before = lines.length;
  assertEquals([await send('{"count":6}', "c"), await send('{"count":6}', "c"), orders], [500, 500, 4]);
  assertEquals(lines.length - before, 1);
  await socket.Close();
});

Deno.test("An event is not replied to with a response or a function, whose fields the client would see", async () => {
  const values: Readonly<Record<string, () => unknown>> = {
    missing: () => new Response("secret", { status: 404 }),
    found: () => new Response("secret"),
    result: () => new mvc.Response({ Code: 201, Content: "secret" }),
    view: () => new mvc.View({ Name: "secret" }),
    callback: () => () => "secret",
  };
  class ReplyController {
    OnValue(name = "") {
      return values[name]?.();
    }
  }
  const { app, lines } = logged();
  const server = websocket.New({ Hub: live.New() });
  server.Namespace("plain").On("value", (_conn, name) => values[String(name)]?.());
  mvc.New(app.Party("/ws")).Register(server).HandleWebsocket(ReplyController);
  const socket = await httptest.New(app).WebSocket("/ws");
  for (const Namespace of ["", "plain"]) {
    for (const name of Object.keys(values)) {
      const outcome = Object(await socket.Ask("value", name, { Namespace }).catch((error) => error));
      assertEquals(
        [outcome.Status, outcome.message],
        name === "missing" ? [404, "Not Found"] : [500, "Internal Server Error"],
        `${Namespace} ${name}`,
      );
    }
  }
  await socket.Close();
  assertEquals(lines.filter((line) => line.includes("Cannot reply to an event with a ")).length, 8);
});
