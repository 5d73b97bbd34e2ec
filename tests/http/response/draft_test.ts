import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, overSocket, quiet } from "../../serving.ts";

const text = "text/plain;charset=UTF-8";
const csv = "text/csv; charset=utf-8";
const linked = "application/ld+json";

bothWays("Context.WriteString() appends plain text", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.WriteString("grü");
    ctx.WriteString("");
    ctx.WriteString("ße");
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text, response.headers.get("content-type")], [200, "grüße", text]);
});

bothWays("Context writes text, HTML, JSON and bytes with their types", () => {
  const app = quiet();
  app.Get("/text", (ctx) => ctx.Text("a"));
  app.Get("/html", (ctx) => ctx.HTML("<b>a</b>"));
  app.Get("/json", (ctx) => ctx.JSON({ a: [1, null, "b"] }));
  app.Get("/bytes", (ctx) => ctx.Write(new Uint8Array([0, 255])));
  app.Get("/written", (ctx) => ctx.Write("a"));
  app.Get("/stream", (ctx) => ctx.Stream(["a"]));
  app.Get("/typed", (ctx) => (ctx.ContentType("image/svg+xml"), ctx.Write(new Uint8Array([60]))));
  app.Get("/empty", () => {});
  return app;
}, async (ask) => {
  const expected: [path: string, type: string | null, body: string][] = [
    ["/text", text, "a"],
    ["/html", "text/html; charset=utf-8", "<b>a</b>"],
    ["/json", "application/json", '{"a":[1,null,"b"]}'],
    ["/bytes", "application/octet-stream", "\0\ufffd"],
    ["/written", text, "a"],
    ["/stream", "application/octet-stream", "a"],
    ["/typed", "image/svg+xml", "<"],
    ["/empty", null, ""],
  ];
  for (const [path, type, body] of expected) {
    const response = await ask(path);
    assertEquals([response.status, response.headers.get("content-type"), response.text], [200, type, body], path);
  }
});

/** Routes that write twice, with the expected content type and body. */
const secondWrites: Readonly<Record<string, [write: (ctx: fw.Context) => unknown, type: string, body: string]>> = {
  "JSON() after JSON()": [(ctx) => (ctx.JSON({ a: 1 }), ctx.JSON({ b: 2 })), "application/json", '{"b":2}'],
  "JSON() in a layout after JSON()": [
    (ctx) => (ctx.JSON({ a: 1 }), ctx.JSON([2], { Indent: " " })),
    "application/json",
    "[\n 2\n]",
  ],
  "JSON() after HTML()": [(ctx) => (ctx.HTML("<p>"), ctx.JSON({ b: 2 })), "application/json", '{"b":2}'],
  "JSON() after bytes": [(ctx) => (ctx.Write(new Uint8Array([1])), ctx.JSON(2)), "application/json", "2"],
  "JSON() after a stream": [(ctx) => (ctx.Stream(["a"]), ctx.JSON(2)), "application/json", "2"],
  "XML() after JSON()": [
    async (ctx) => (ctx.JSON(1), await ctx.XML({ b: 2 })),
    "application/xml; charset=utf-8",
    '<?xml version="1.0" encoding="UTF-8"?>\n<Object><b>2</b></Object>',
  ],
  "JSON() after XML()": [async (ctx) => (await ctx.XML({ a: 1 }), ctx.JSON({ b: 2 })), "application/json", '{"b":2}'],
  "StopWithJSON() after JSON()": [
    (ctx) => (ctx.JSON({ a: 1 }), ctx.StopWithJSON(200, { b: 2 })),
    "application/json",
    '{"b":2}',
  ],
  "JSON() twice, with a content type": [
    (ctx) => (ctx.ContentType("application/ld+json"), ctx.JSON(1), ctx.JSON(2)),
    linked,
    "2",
  ],
  "JSON() twice, with a content type in between": [
    (ctx) => (ctx.JSON(1), ctx.ContentType("application/ld+json"), ctx.JSON(2)),
    linked,
    "2",
  ],
  "JSON() twice, with a content type header": [
    (ctx) => (ctx.Header("content-type", "application/ld+json"), ctx.JSON(1), ctx.JSON(2)),
    linked,
    "2",
  ],
  "XML() after JSON(), with a content type": [
    async (ctx) => (ctx.ContentType("application/vnd.tea+xml"), ctx.JSON(1), await ctx.XML({ b: 2 })),
    "application/vnd.tea+xml",
    '<?xml version="1.0" encoding="UTF-8"?>\n<Object><b>2</b></Object>',
  ],
  "JSON() after Text(), with a content type before": [
    (ctx) => (ctx.ContentType("text/csv"), ctx.Text("a"), ctx.JSON(2)),
    "application/json",
    "2",
  ],
  "JSON() after a content type that was removed": [
    (ctx) => (ctx.ContentType("text/csv"), ctx.JSON(1), ctx.ContentType(""), ctx.JSON(2)),
    "application/json",
    "2",
  ],
  "Problem() after JSON(), with a content type": [
    (ctx) => (ctx.ContentType("application/ld+json"), ctx.JSON(1), ctx.Problem({ Status: 400 }), ctx.StatusCode(200)),
    "application/problem+json",
    '{"type":"about:blank","title":"Bad Request","status":400}',
  ],
};

/** Routes that append, with the expected content type and body. */
const appended: typeof secondWrites = {
  "HTML() twice": [(ctx) => (ctx.HTML("<p>"), ctx.HTML("<b>")), "text/html; charset=utf-8", "<p><b>"],
  "Text() twice": [(ctx) => (ctx.Text("a"), ctx.Text("b")), text, "ab"],
  "WriteString() after JSON()": [(ctx) => (ctx.JSON(1), ctx.WriteString("\n")), "application/json", "1\n"],
  "WriteString() with a content type": [(ctx) => (ctx.ContentType("text/csv"), ctx.WriteString("a,b")), csv, "a,b"],
  "Text() with a content type": [(ctx) => (ctx.ContentType("text/csv"), ctx.Text("a,b")), text, "a,b"],
  "Text() after HTML()": [(ctx) => (ctx.HTML("<p>"), ctx.Text("b")), text, "<p>b"],
  "JSON() with a content type": [(ctx) => (ctx.ContentType("application/ld+json"), ctx.JSON(1)), linked, "1"],
};

bothWays("Context replaces the body with a document, and appends everything else", () => {
  const app = quiet();
  const writes = Object.values({ ...secondWrites, ...appended });
  writes.forEach(([write], at) => app.Get(`/${at}`, async (ctx) => void await write(ctx)));
  return app;
}, async (ask) => {
  for (const [at, [name, [, type, body]]] of Object.entries({ ...secondWrites, ...appended }).entries().toArray()) {
    const response = await ask(`/${at}`);
    assertEquals([response.status, response.headers.get("content-type"), response.text], [200, type, body], name);
  }
});

Deno.test("WithDevelopment warns once per request if a document replaces the body", async () => {
  const warned: string[] = [];
  for (const [name, [write]] of [...Object.entries(secondWrites), ...Object.entries(appended)]) {
    for (const configurator of [fw.WithDevelopment, fw.WithConfiguration({})]) {
      const app = fw.New().Configure(configurator);
      const lines: string[] = [];
      app.Logger().SetOutput((line) => void lines.push(line));
      app.Get("/page", async (ctx) => {
        await write(ctx);
        // A third document is not reported again.
        if (name in secondWrites) ctx.JSON("last");
      });
      await (await app.fetch(new Request("http://localhost/page"))).body?.cancel();
      const found = lines.filter((line) => line.includes("The response to GET /page was written twice"));
      assertEquals(found.length, configurator === fw.WithDevelopment && name in secondWrites ? 1 : 0, name);
      if (found.length > 0) warned.push(name);
    }
  }
  assertEquals(warned, Object.keys(secondWrites));
});

bothWays("Context.StatusCode() and Header() can be called after the body was written", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    await ctx.Next();
    ctx.StatusCode(ctx.GetStatusCode() + 1);
    ctx.Header("x-late", ctx.GetResponseHeader("x-early") + "!");
  });
  app.Get("/", (ctx) => {
    ctx.WriteString("body");
    ctx.StatusCode(201);
    ctx.Header("X-Early", "1");
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.headers.get("x-late"), response.text], [202, "1!", "body"]);
});

bothWays("Context.StatusCode() sends every common status", () => {
  const app = quiet();
  app.Get("/{status:int}", (ctx) => {
    ctx.StatusCode(ctx.Params().GetIntDefault("status", 0));
    ctx.WriteString("body");
  });
  return app;
}, async (ask) => {
  for (const status of [200, 201, 202, 203, 206, 300, 400, 401, 404, 418, 422, 451, 500, 503, 599]) {
    const response = await ask(`/${status}`);
    assertEquals([response.status, response.text], [status, "body"]);
  }
});

bothWays("Context.StatusCode() drops the body if the status does not allow one", () => {
  const app = quiet();
  app.Get("/{status:int}", (ctx) => {
    ctx.WriteString("body");
    ctx.Header("x-a", "1");
    ctx.StatusCode(ctx.Params().GetIntDefault("status", 0));
  });
  return app;
}, async (ask) => {
  for (const status of [204, 205, 304]) {
    const response = await ask(`/${status}`);
    assertEquals([response.status, response.text, response.headers.get("x-a")], [status, "", "1"]);
    const head = await ask(`/${status}`, { method: "HEAD" });
    assertEquals([head.status, head.text], [status, ""]);
    if (status === 204) assertEquals(head.headers.get("content-length"), null);
  }
});

bothWays("Context.StatusCode() rejects invalid statuses", () => {
  const app = quiet();
  app.Get("/{status}", (ctx) => {
    try {
      ctx.StatusCode(Number(ctx.Params().Get("status")));
    } catch (error) {
      assert(error instanceof fw.FrameworkError);
      ctx.WriteString(`${error.Code} ${error.message}`);
    }
  });
  return app;
}, async (ask) => {
  for (const status of ["100", "101", "199", "600", "0", "-1", "200.5", "NaN", "Infinity"]) {
    assertEquals(
      (await ask(`/${status}`)).text,
      `FW_STATUS Cannot respond with status "${status}": it must be between 200 and 599`,
    );
  }
});

bothWays("Context.Header() sets a header, AddHeader() adds one, and an empty value removes it", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Header("X-A", "1");
    ctx.Header("x-a", "2");
    ctx.AddHeader("X-B", "1");
    ctx.AddHeader("x-b", "2");
    ctx.Header("x-c", "1");
    ctx.Header("X-C", "");
    ctx.AddHeader("Vary", "Accept");
    ctx.AddHeader("vary", "Origin");
    ctx.Header("x-seen", `${ctx.GetResponseHeader("X-B")}|${ctx.GetResponseHeader("x-c")}`);
    ctx.WriteString("a");
  });
  return app;
}, async (ask) => {
  const { headers } = await ask("/");
  assertEquals(headers.get("x-a"), "2");
  assertEquals(headers.get("x-b"), "1, 2");
  assertEquals(headers.get("x-c"), null);
  assertEquals(headers.get("vary"), "Accept, Origin");
  assertEquals(headers.get("x-seen"), "1, 2|");
});

bothWays("Context.Header() and AddHeader() with Content-Type have the same effect as ContentType()", () => {
  const app = quiet();
  app.Get("/set", (ctx) => (ctx.Header("Content-Type", "text/csv"), ctx.WriteString("a")));
  app.Get("/late", (ctx) => (ctx.JSON({}), ctx.Header("content-type", "application/ld+json")));
  app.Get("/add", (ctx) => (ctx.WriteString("a"), ctx.AddHeader("Content-Type", "text/csv")));
  app.Get("/twice", (ctx) => (ctx.AddHeader("content-type", "text/csv"), ctx.AddHeader("content-type", "text/x")));
  app.Get("/back", (ctx) => (ctx.ContentType("text/csv"), ctx.Header("content-type", ""), ctx.WriteString("a")));
  app.Get("/read", (ctx) => (ctx.ContentType("text/csv"), ctx.WriteString(ctx.GetResponseHeader("Content-Type"))));
  return app;
}, async (ask) => {
  const types: Record<string, string> = {
    "/set": "text/csv",
    "/late": "application/ld+json",
    "/add": "text/csv",
    "/twice": "text/x",
    "/back": text,
    "/read": "text/csv; charset=utf-8",
  };
  for (const [path, type] of Object.entries(types)) {
    assertEquals((await ask(path)).headers.get("content-type"), type, path);
  }
  assertEquals((await ask("/read")).text, "text/csv; charset=utf-8");
});

bothWays("Context.Write() appends text and bytes", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Write("a");
    ctx.Write(new Uint8Array([98]));
    ctx.WriteString("ç");
    ctx.Write(new Uint8Array([100]));
  });
  app.Get("/bytes", (ctx) => {
    ctx.Write(new Uint8Array([97]));
    ctx.Write(new Uint8Array([98]));
  });
  app.Get("/window", (ctx) => ctx.Write(new Uint8Array([97, 98, 99, 100]).subarray(1, 3)));
  app.Get("/reused", (ctx) => {
    const buffer = new Uint8Array([97]);
    ctx.Write(buffer);
    buffer[0] = 98;
    ctx.Write(buffer);
  });
  return app;
}, async (ask) => {
  const mixed = await ask("/");
  assertEquals([mixed.text, mixed.headers.get("content-type")], ["abçd", text]);
  const bytes = await ask("/bytes");
  assertEquals([bytes.text, bytes.headers.get("content-type")], ["ab", "application/octet-stream"]);
  assertEquals((await ask("/window")).text, "bc");
  assertEquals((await ask("/reused")).text, "ab");
});

bothWays("Context.JSON() writes a bigint as a number at any position", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.JSON({ id: 9007199254740993n, list: [1n, { deep: -2n }] }));
  app.Get("/alone", (ctx) => ctx.JSON(12345678901234567890n));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, '{"id":9007199254740993,"list":[1,{"deep":-2}]}');
  assertEquals((await ask("/alone")).text, "12345678901234567890");
});

bothWays("Context.JSON() handles values that JSON does not support", () => {
  const app = quiet();
  app.Get("/undefined", (ctx) => ctx.JSON(undefined));
  app.Get("/function", (ctx) => ctx.JSON(() => 1));
  app.Get("/date", (ctx) => ctx.JSON(new Date(0)));
  app.Get("/own", (ctx) => ctx.JSON({ toJSON: () => ({ a: 1 }) }));
  app.Get("/circle", (ctx) => {
    const circle: Record<string, unknown> = { id: 1n };
    circle["self"] = circle;
    ctx.JSON(circle);
  });
  app.Get("/fails", (ctx) =>
    ctx.JSON({
      toJSON() {
        throw new Error("secret");
      },
    }));
  return app;
}, async (ask) => {
  assertEquals((await ask("/undefined")).text, "null");
  assertEquals((await ask("/function")).text, "null");
  assertEquals((await ask("/date")).text, '"1970-01-01T00:00:00.000Z"');
  assertEquals((await ask("/own")).text, '{"a":1}');
  for (const path of ["/circle", "/fails"]) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [500, "Internal Server Error"], path);
  }
});

// Returned responses

bothWays("A returned Response receives the headers set by middleware", () => {
  const app = quiet();
  app.Use((ctx) => {
    ctx.Header("x-before", "1");
    ctx.Header("cache-control", "no-store");
    ctx.AddHeader("vary", "Origin");
    ctx.AddHeader("x-many", "a");
    ctx.AddHeader("x-many", "b");
    ctx.SetCookie("mine", "1");
    const rest = ctx.Next();
    ctx.Header("x-after", "1");
    return rest;
  });
  app.Get("/", () => {
    const headers = new Headers({
      vary: "Accept",
      "x-own": "1",
      "content-type": "text/csv",
      "cache-control": "public",
    });
    headers.append("set-cookie", "own=1");
    headers.append("set-cookie", "two=2");
    return new Response("a,b", { status: 201, headers });
  });
  return app;
}, async (ask) => {
  const { status, headers, text } = await ask("/");
  assertEquals([status, text], [201, "a,b"]);
  assertEquals(headers.get("content-type"), "text/csv");
  assertEquals(headers.get("x-before"), "1");
  assertEquals(headers.get("x-after"), "1");
  assertEquals(headers.get("x-own"), "1");
  assertEquals(headers.get("vary"), "Accept, Origin");
  assertEquals(headers.get("x-many"), "a, b");
  assertEquals(headers.get("cache-control"), "no-store");
  assertEquals(headers.getSetCookie().map((line) => line.split(";")[0]), ["own=1", "two=2", "mine=1"]);
});

bothWays("Handler's returned Response keeps its status unless a later handler changes it", () => {
  const app = quiet();
  app.Get("/early", (ctx) => (ctx.StatusCode(202), ctx.Next()), () => new Response("a"));
  app.Get("/late", async (ctx) => {
    await ctx.Next();
    assertEquals(ctx.GetStatusCode(), 203);
    ctx.StatusCode(299);
  }, () => new Response("a", { status: 203 }));
  app.Get("/empty", async (ctx) => {
    await ctx.Next();
    ctx.StatusCode(204);
  }, () => new Response("a"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/early")).status, 200);
  const late = await ask("/late");
  assertEquals([late.status, late.text], [299, "a"]);
  const empty = await ask("/empty");
  assertEquals([empty.status, empty.text], [204, ""]);
});

bothWays("Handler's returned Response keeps its own content type, regardless of earlier writes", () => {
  const app = quiet();
  app.Get("/json", (ctx) => (ctx.JSON({ dropped: true }), ctx.Next()), () =>
    new Response("<p>", {
      headers: { "content-type": "text/html" },
    }));
  app.Get("/set", (ctx) => (ctx.ContentType("application/xml"), ctx.Next()), () => Response.json({ a: 1 }));
  app.Get("/none", (ctx) => (ctx.ContentType("application/xml"), ctx.Next()), () => new Response(new Uint8Array([60])));
  app.Get("/late", async (ctx) => {
    await ctx.Next();
    ctx.ContentType("application/problem+json");
  }, () => Response.json({ a: 1 }));
  return app;
}, async (ask) => {
  const json = await ask("/json");
  assertEquals([json.headers.get("content-type"), json.text], ["text/html", "<p>"]);
  assertEquals((await ask("/set")).headers.get("content-type"), "application/json");
  assertEquals((await ask("/none")).headers.get("content-type"), "application/xml; charset=utf-8");
  assertEquals((await ask("/late")).headers.get("content-type"), "application/problem+json");
});

bothWays("Context.GetResponseHeader() reads the headers of a returned Response", () => {
  const app = quiet();
  app.Get("/", async (ctx) => {
    await ctx.Next();
    ctx.Header("x-seen", `${ctx.GetResponseHeader("X-Own")} ${ctx.GetResponseHeader("Content-Type")}`);
  }, () => Response.json(1, { headers: { "x-own": "own" } }));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).headers.get("x-seen"), "own application/json");
});

bothWays("Context.Header() with an empty value also removes a header of a returned Response", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    await ctx.Next();
    ctx.Header("X-Powered-By", "");
    ctx.Header("set-cookie", "");
  });
  app.Get("/made", () => new Response("a", { headers: { "x-powered-by": "it", "set-cookie": "a=b", "x-own": "1" } }));
  app.Get("/fetched", () => fetch("data:text/css,a"));
  return app;
}, async (ask) => {
  const { headers, text } = await ask("/made");
  assertEquals([headers.get("x-powered-by"), headers.get("set-cookie"), headers.get("x-own")], [null, null, "1"]);
  assertEquals(text, "a");
  const fetched = await ask("/fetched");
  assertEquals([fetched.text, fetched.headers.get("content-type")], ["a", "text/css"]);
});

bothWays("Handler's returned Response replaces the body, and a later write replaces the Response", () => {
  const app = quiet();
  app.Get("/before", (ctx) => (ctx.WriteString("dropped"), ctx.Next()), () => new Response("response"));
  app.Get("/after", async (ctx) => {
    await ctx.Next();
    ctx.WriteString("written");
  }, () => new Response("dropped", { status: 201 }));
  return app;
}, async (ask) => {
  assertEquals((await ask("/before")).text, "response");
  const after = await ask("/after");
  assertEquals([after.status, after.text], [201, "written"]);
});

bothWays("Context cancels a stream that another body replaces", () => {
  const app = quiet();
  let canceled = 0;
  function stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream({ cancel: () => void canceled++ });
  }
  app.Get("/response", (ctx) => (ctx.Stream(stream()), ctx.Next()), () => new Response("a"));
  app.Get("/stream", (ctx) => (ctx.Stream(stream()), ctx.Next()), (ctx) => ctx.Stream(["a"]));
  app.Get("/redirect", (ctx) => (ctx.Stream(stream()), ctx.Redirect("/")));
  app.Get("/throw", (ctx) => {
    ctx.Stream(stream());
    throw new Error("no");
  });
  app.Get("/null", (ctx) => (ctx.Stream(stream()), ctx.StatusCode(204)));
  app.Get("/returned", async (ctx) => {
    await ctx.Next();
    ctx.WriteString("a");
  }, () => new Response(stream()));
  app.Get("/returned/bytes", async (ctx) => {
    await ctx.Next();
    ctx.Write(new Uint8Array([97]));
  }, () => new Response(stream()));
  app.Get("/returned/null", async (ctx) => {
    await ctx.Next();
    ctx.StatusCode(304);
  }, () => new Response(stream()));
  app.Get("/returned/throw", async (ctx) => {
    await ctx.Next();
    throw new Error("no");
  }, () => new Response(stream()));
  app.Get("/returned/twice", async (ctx) => {
    await ctx.Next();
    return new Response("a");
  }, () => new Response(stream()));
  app.Get("/count", (ctx) => {
    ctx.WriteString(String(canceled));
    canceled = 0;
  });
  return app;
}, async (ask) => {
  const paths = [
    "/response",
    "/stream",
    "/redirect",
    "/throw",
    "/null",
    "/returned",
    "/returned/bytes",
    "/returned/null",
  ];
  for (const path of [...paths, "/returned/throw", "/returned/twice"]) {
    await ask(path);
    assertEquals((await ask("/count")).text, "1", path);
  }
});

bothWays("Context.Write() to a stream is rejected", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Stream(["a"]);
    try {
      ctx.WriteString("b");
    } catch (error) {
      ctx.Header("x-error", error instanceof Error ? error.message : "");
    }
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals(response.headers.get("x-error"), "Cannot write to the response: its body is already a stream");
  assertEquals(response.text, "a");
});

// Content types

bothWays("Context.ContentType() adds the charset only to text types without one", () => {
  const app = quiet();
  app.Get("/", (ctx) => (ctx.ContentType(ctx.GetHeader("x-type")), ctx.WriteString("a")));
  return app;
}, async (ask) => {
  const types: Record<string, string> = {
    "text/html": "text/html; charset=utf-8",
    "text/css": "text/css; charset=utf-8",
    "application/xml": "application/xml; charset=utf-8",
    "application/javascript": "application/javascript; charset=utf-8",
    "application/json": "application/json",
    "image/png": "image/png",
    "application/octet-stream": "application/octet-stream",
    "text/html; charset=iso-8859-1": "text/html; charset=iso-8859-1",
    "text/html; Charset=ISO-8859-1": "text/html; Charset=ISO-8859-1",
    "TEXT/HTML": "TEXT/HTML; charset=utf-8",
  };
  for (const [type, sent] of Object.entries(types)) {
    assertEquals((await ask("/", { headers: { "x-type": type } })).headers.get("content-type"), sent);
  }
});

bothWays("WithCharset changes the charset of text and HTML", () => {
  const app = quiet().Configure(fw.WithCharset("US-ASCII"));
  app.Get("/text", (ctx) => ctx.WriteString("a"));
  app.Get("/html", (ctx) => ctx.HTML("a"));
  app.Get("/type", (ctx) => (ctx.ContentType("text/csv"), ctx.WriteString("a")));
  app.Get("/json", (ctx) => ctx.JSON(1));
  return app;
}, async (ask) => {
  const type = async (path: string) => (await ask(path)).headers.get("content-type");
  assertEquals(await type("/text"), "text/plain; charset=us-ascii");
  assertEquals(await type("/html"), "text/html; charset=us-ascii");
  assertEquals(await type("/type"), "text/csv; charset=us-ascii");
  assertEquals(await type("/json"), "application/json");
  assertEquals(await type("/nowhere"), "text/plain; charset=us-ascii");
});

// WebSockets

Deno.test("Handler can return an upgrade response through middleware that sets headers", async () => {
  const app = quiet();
  app.UseRouter((ctx) => (ctx.Header("x-a", "1"), ctx.SetCookie("b", "2"), ctx.Next()));
  app.Use(async (ctx) => {
    await ctx.Next();
    ctx.ContentType("text/html");
    ctx.StatusCode(201);
    ctx.Header("Sec-WebSocket-Accept", "");
  });
  app.Get("/echo/{name}", (ctx) => {
    const { socket, response } = Deno.upgradeWebSocket(ctx.Request());
    const name = ctx.Params().Get("name");
    socket.onmessage = ({ data }) => {
      socket.send(`${name}: ${data}`);
      socket.close();
    };
    return response;
  });
  await overSocket(app, async (_ask, port) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/echo/ada`);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    const heard = new Promise<string>((resolve, reject) => {
      socket.onopen = () => socket.send("hello");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = () => reject(new Error("The socket did not open"));
    });
    assertEquals(await heard, "ada: hello");
    await closed;
  });
});

Deno.test("Handler that upgrades a plain request receives an error, and the server continues", async () => {
  const app = quiet();
  app.Get("/echo", (ctx) => Deno.upgradeWebSocket(ctx.Request()).response);
  app.Get("/ok", (ctx) => ctx.WriteString("ok"));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/echo")).status, 500);
    assertEquals((await ask("/ok")).text, "ok");
  });
});
