import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import { defaultConfiguration } from "../../src/base/config.ts";

/** Applies configurators to a fresh application and returns what changed. */
function changes(...configurators: fw.Configurator[]): Partial<fw.Configuration> {
  const config: Record<string, unknown> = { ...fw.New().Configure(...configurators).ConfigurationReadOnly() };
  const defaults: Record<string, unknown> = { ...defaultConfiguration() };
  return Object.fromEntries(
    Object.entries(config).filter(([name, value]) => !Object.is(value, defaults[name]))
      .filter(([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(defaults[name]) || typeof value === "function"
      ),
  );
}

function listen(): void {}

const cases: [name: string, configurator: fw.Configurator, expected: Partial<fw.Configuration>][] = [
  ["WithPostMaxMemory", fw.WithPostMaxMemory(64 << 20), { PostMaxMemory: 64 << 20 }],
  ["WithMaxFormFields", fw.WithMaxFormFields(10), { MaxFormFields: 10 }],
  ["WithMaxFormSize", fw.WithMaxFormSize(1 << 20), { MaxFormSize: 1 << 20 }],
  ["WithMaxRequestBody", fw.WithMaxRequestBody(1 << 30), { MaxRequestBody: 1 << 30 }],
  [
    "WithBodyTimeout",
    fw.WithBodyTimeout({ MinRate: 0 }),
    { BodyTimeout: { MinRate: 0, Grace: 10_000, Total: 1_800_000 } },
  ],
  ["WithCharset", fw.WithCharset("latin1"), { Charset: "latin1" }],
  ["WithVHost", fw.WithVHost("example.co.uk"), { VHost: "example.co.uk" }],
  [
    "WithRemoteAddrHeader",
    fw.WithRemoteAddrHeader("X-Forwarded-For", "10.0.0.1", "::1"),
    { RemoteAddrHeaders: ["X-Forwarded-For"], TrustedProxies: ["10.0.0.1", "::1"] },
  ],
  [
    "WithHostProxyHeader",
    fw.WithHostProxyHeader("X-Forwarded-Host", "10.0.0.1"),
    { HostProxyHeaders: ["X-Forwarded-Host"], TrustedProxies: ["10.0.0.1"] },
  ],
  ["WithLogLevel", fw.WithLogLevel("warn"), { LogLevel: "warn" }],
  ["WithOnListen", fw.WithOnListen(listen), { OnListen: listen }],
  ["WithShutdownTimeout", fw.WithShutdownTimeout(5), { ShutdownTimeout: 5 }],
  ["WithConfiguration", fw.WithConfiguration({ Charset: "latin1", VHost: "a" }), { Charset: "latin1", VHost: "a" }],
  ["WithoutStartupLog", fw.WithoutStartupLog, { DisableStartupLog: true }],
  ["WithoutInterruptHandler", fw.WithoutInterruptHandler, { DisableInterruptHandler: true }],
  ["WithoutPathCorrection", fw.WithoutPathCorrection, { DisablePathCorrection: true }],
  ["WithoutPathCorrectionRedirection", fw.WithoutPathCorrectionRedirection, { DisablePathCorrectionRedirection: true }],
  ["WithoutMethodNotAllowed", fw.WithoutMethodNotAllowed, { DisableMethodNotAllowed: true }],
  ["WithoutAutoHead", fw.WithoutAutoHead, { DisableAutoHead: true }],
  ["WithoutAutoOptions", fw.WithoutAutoOptions, { DisableAutoOptions: true }],
  ["WithLowercaseRouting", fw.WithLowercaseRouting, { ForceLowercaseRouting: true }],
  ["WithSocketSharding", fw.WithSocketSharding, { SocketSharding: true }],
];

for (const [name, configurator, expected] of cases) {
  Deno.test(`${name} changes its setting and no other`, () => assertEquals(changes(configurator), expected));
}

Deno.test("WithRemoteAddrHeader adds to what is there, and leaves other applications alone", () => {
  const configurator = fw.WithRemoteAddrHeader("X-Real-IP", "10.0.0.1");
  assertEquals(changes(fw.WithRemoteAddrHeader("X-Forwarded-For", "::1"), configurator), {
    RemoteAddrHeaders: ["X-Forwarded-For", "X-Real-IP"],
    TrustedProxies: ["::1", "10.0.0.1"],
  });
  assertEquals(changes(configurator), { RemoteAddrHeaders: ["X-Real-IP"], TrustedProxies: ["10.0.0.1"] });
});

Deno.test("Configuration has the defaults that the documentation names", () => {
  const config = fw.New().ConfigurationReadOnly();
  assertEquals(config.PostMaxMemory, 32 << 20);
  assertEquals([config.MaxFormFields, config.MaxFormSize, config.MaxRequestBody], [1000, 10 << 20, 128 << 20]);
  assertEquals(config.BodyTimeout, { MinRate: 500, Grace: 10_000, Total: 1_800_000 });
  assertEquals([config.Charset, config.ShutdownTimeout, config.VHost], ["UTF-8", 8_000, ""]);
});

Deno.test("WithLogLevel sets the level of the logger at once", () => {
  assertEquals(fw.New().Configure(fw.WithLogLevel("debug")).Logger().Level(), "debug");
});

const refusals: [what: string, configurator: fw.Configurator, message: string][] = [
  [
    "a negative rate",
    fw.WithBodyTimeout({ MinRate: -1 }),
    'Cannot set "BodyTimeout.MinRate": "-1" is not a number from 0 up',
  ],
  ["a negative memory", fw.WithPostMaxMemory(-1), 'Cannot set "PostMaxMemory": "-1" is not a number from 0 up'],
  [
    "a memory that is not a number",
    fw.WithPostMaxMemory(NaN),
    'Cannot set "PostMaxMemory": "NaN" is not a number from 0 up',
  ],
  ["a negative timeout", fw.WithShutdownTimeout(-5), 'Cannot set "ShutdownTimeout": "-5" is not a number from 0 up'],
  [
    "a charset that is not one",
    fw.WithCharset("utf-8\r\nx: 1"),
    'Cannot use the charset "utf-8\r\nx: 1": it is not a charset name',
  ],
  ["an empty charset", fw.WithCharset(""), 'Cannot use the charset "": it is not a charset name'],
  [
    "a forwarding header without proxies",
    fw.WithRemoteAddrHeader("X-Forwarded-For"),
    'Cannot trust the header "X-Forwarded-For": no trusted proxy is configured that may set it',
  ],
  [
    "a proxy that is not an address",
    fw.WithHostProxyHeader("X-Forwarded-Host", "proxy.internal"),
    'Cannot read the trusted proxy "proxy.internal": it is not an address or network',
  ],
  [
    "a forwarding header whose name is not valid",
    fw.WithRemoteAddrHeader("X Forwarded", "10.0.0.1"),
    'Cannot trust the header "X Forwarded": it is not a valid header name',
  ],
];

for (const [what, configurator, message] of refusals) {
  Deno.test(`Application.Build() refuses ${what}`, () => {
    const app = fw.New();
    const error = assertThrows(() => {
      app.Configure(configurator);
      app.Build();
    }, fw.FrameworkError);
    assertEquals([error.Code, error.message], ["FW_CONFIG", message]);
  });
}

Deno.test("Application.Build() takes the least and the usual values", () => {
  fw.New().Build();
  fw.New().Configure(fw.WithPostMaxMemory(0), fw.WithShutdownTimeout(0)).Build();
  fw.New().Configure(fw.WithRemoteAddrHeader("X-Forwarded-For", "10.0.0.0/8", "::1")).Build();
});
