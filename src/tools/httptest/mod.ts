/**
 * Tests applications in process, without opening a port.
 *
 * @example Send requests and check the responses
 * ```ts
 * import * as fw from "@fw/web";
 * import * as httptest from "@fw/web/httptest";
 *
 * const app = fw.New();
 * app.Get("/hello", (ctx) => ctx.JSON({ message: `Hello ${ctx.URLParam("name")}` }));
 *
 * const test = httptest.New(app);
 * await test.GET("/hello").WithQuery("name", "Ada").Expect().Status(200).JSON({ message: "Hello Ada" });
 * await test.GET("/nowhere").Expect().Status(404).Body("Not Found");
 * ```
 *
 * @module
 */

export { Call, type Served } from "./call.ts";
export { Client, Do, New, Start, type Startable } from "./client.ts";
export type { TestEvent, TestEvents } from "./events.ts";
export { Expectation, type TestResponse } from "./expectation.ts";
export type { ResponseCookie } from "./response_cookie.ts";
export type { Selection } from "./selection.ts";
export type { SocketAskOptions, SocketJoinOptions, SocketOptions, TestSocket } from "./socket.ts";
