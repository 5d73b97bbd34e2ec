import * as fw from "@fw/web";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "npm:fast-check@^4";
import { toJSON } from "../../../src/base/text/json.ts";

Deno.test("toJSON() agrees with JSON.stringify() for values without bigints", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assertEquals(toJSON(value), JSON.stringify(value));
  }));
});

Deno.test("toJSON() writes bigints as exact numbers", () => {
  fc.assert(fc.property(fc.bigInt(), fc.jsonValue(), (number, other) => {
    assertEquals(toJSON(number), String(number));
    assertEquals(toJSON([{ number, other }]), `[{"number":${number},"other":${JSON.stringify(other)}}]`);
  }));
});

Deno.test("toJSON() writes a bigint that toJSON() of an object returns", () => {
  assertEquals(toJSON({ id: { toJSON: () => 5n } }), '{"id":5}');
  assertEquals(toJSON({ toJSON: () => ({ id: 5n }) }), '{"id":5}');
});

Deno.test("toJSON() does not mistake a string for a number", () => {
  assertEquals(toJSON({ a: "5n", b: 5n }), '{"a":"5n","b":5}');
});

Deno.test("toJSON() writes null for values that JSON does not support", () => {
  assertEquals([toJSON(undefined), toJSON(() => 1), toJSON(Symbol("x"))], ["null", "null", "null"]);
});

Deno.test("toJSON() rejects circular references, with and without bigints", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  assertThrows(() => toJSON(circle), TypeError);
  circle["id"] = 1n;
  assertThrows(() => toJSON(circle), TypeError);
});

Deno.test("toJSON() rethrows errors of an object's toJSON()", () => {
  const failing = {
    toJSON() {
      throw new TypeError("mine");
    },
  };
  assertEquals(assertThrows(() => toJSON(failing), TypeError).message, "mine");
});

Deno.test("Context.JSON() can be followed by other changes to the response", async () => {
  const value = { a: 1 };
  const cases: Record<string, [(ctx: fw.Context) => void, string, number, string]> = {
    nothing: [() => {}, '{"a":1}', 200, "application/json"],
    status: [(ctx) => ctx.StatusCode(201), '{"a":1}', 201, "application/json"],
    type: [(ctx) => ctx.ContentType("application/vnd.api+json"), '{"a":1}', 200, "application/vnd.api+json"],
    text: [(ctx) => ctx.WriteString("\n"), '{"a":1}\n', 200, "application/json"],
    bytes: [(ctx) => ctx.Write(new Uint8Array([33])), '{"a":1}!', 200, "application/json"],
    json: [(ctx) => ctx.JSON([2]), "[2]", 200, "application/json"],
    html: [(ctx) => ctx.HTML("<p>"), '{"a":1}<p>', 200, "application/json"],
    header: [(ctx) => ctx.Header("x-a", ctx.GetResponseHeader("content-type")), '{"a":1}', 200, "application/json"],
  };
  for (const [name, [more, body, status, type]] of Object.entries(cases)) {
    const app = fw.New();
    app.Get("/", (ctx) => {
      ctx.JSON(value);
      more(ctx);
    });
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals(
      [await response.text(), response.status, response.headers.get("content-type")],
      [body, status, type],
      name,
    );
    const head = await app.fetch(new Request("http://localhost/", { method: "HEAD" }));
    assertEquals(
      [head.headers.get("content-length"), head.headers.get("content-type")],
      [`${body.length}`, type],
      name,
    );
  }
});

Deno.test("Context.JSON() serializes the value when it is called, and throws if it cannot", async () => {
  const app = fw.New();
  app.Get("/late", (ctx) => {
    const value = { a: 1 };
    ctx.JSON(value);
    value.a = 2;
  });
  app.Get("/circle", (ctx) => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    try {
      ctx.JSON(circle);
    } catch (error) {
      ctx.WriteString(error instanceof TypeError ? "caught" : String(error));
    }
  });
  assertEquals(await (await app.fetch(new Request("http://localhost/late"))).text(), '{"a":1}');
  assertEquals(await (await app.fetch(new Request("http://localhost/circle"))).text(), "caught");
});
