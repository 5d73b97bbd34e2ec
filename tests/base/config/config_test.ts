import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { defaultConfiguration } from "../../../src/base/config/config.ts";

/** Applies configurators to a new application and returns the changed settings. */
function changes(...configurators: fw.Configurator[]): Partial<fw.Configuration> {
  const config: Record<string, unknown> = { ...fw.New().Configure(...configurators).Configuration() };
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
  ["WithMaxForm", fw.WithMaxForm(1 << 20), { MaxForm: 1 << 20 }],
  ["WithMaxBody", fw.WithMaxBody(1 << 30), { MaxBody: 1 << 30 }],
  [
    "WithBodyTimeout",
    fw.WithBodyTimeout({ MinRate: 0 }),
    { BodyTimeout: { MinRate: 0, Grace: 10_000, Total: 1_800_000 } },
  ],
  ["WithCharset", fw.WithCharset("latin1"), { Charset: "latin1" }],
  ["WithVHost", fw.WithVHost("example.co.uk"), { VHost: "example.co.uk" }],
  ["WithLogLevel", fw.WithLogLevel("warn"), { LogLevel: "warn" }],
  ["WithOnListen", fw.WithOnListen(listen), { OnListen: listen }],
  ["WithShutdownTimeout", fw.WithShutdownTimeout(5), { ShutdownTimeout: 5 }],
  ["WithConfiguration", fw.WithConfiguration({ Charset: "latin1", VHost: "a" }), { Charset: "latin1", VHost: "a" }],
  ["WithoutStartupLog", fw.WithoutStartupLog, { StartupLog: false }],
  ["WithoutInterruptHandler", fw.WithoutInterruptHandler, { InterruptHandler: false }],
  ["WithoutPathCorrection", fw.WithoutPathCorrection, { PathCorrection: false }],
  ["WithoutPathCorrectionRedirection", fw.WithoutPathCorrectionRedirection, { PathCorrectionRedirection: false }],
  ["WithoutMethodNotAllowed", fw.WithoutMethodNotAllowed, { MethodNotAllowed: false }],
  ["WithoutAutoHead", fw.WithoutAutoHead, { AutoHead: false }],
  ["WithoutAutoOptions", fw.WithoutAutoOptions, { AutoOptions: false }],
  ["WithLowercaseRouting", fw.WithLowercaseRouting, { LowercaseRouting: true }],
  ["WithSocketSharding", fw.WithSocketSharding, { SocketSharding: true }],
];

for (const [name, configurator, expected] of cases) {
  Deno.test(`${name} changes only its own setting`, () => assertEquals(changes(configurator), expected));
}

Deno.test("WithProxy adds to earlier settings and does not affect other applications", () => {
  const configurator = fw.WithProxy({ Trust: ["10.0.0.1"], Take: ["X-Forwarded-Host"] });
  assertEquals(changes(fw.WithProxy({ Trust: ["::1"], Take: ["X-Forwarded-For"] }), configurator), {
    RemoteAddrHeaders: ["X-Forwarded-For"],
    HostProxyHeaders: ["X-Forwarded-Host"],
    TrustedProxies: ["::1", "10.0.0.1"],
  });
  assertEquals(changes(configurator), { HostProxyHeaders: ["X-Forwarded-Host"], TrustedProxies: ["10.0.0.1"] });
});

Deno.test("Configuration has the names of the configurators and no negated names", () => {
  const config = defaultConfiguration();
  const switches = Object.entries(config).filter(([, value]) => typeof value === "boolean");
  const configurators = new Set(Object.keys(fw).filter((name) => name.startsWith("With")));
  // Set by WithProxy, based on its list of proxies.
  const derived = ["TrustUnixPeersOnly"];
  for (const [name, value] of switches.filter(([name]) => !derived.includes(name))) {
    assert(configurators.has(`${value ? "Without" : "With"}${name}`), name);
  }
});

Deno.test("Configuration has the documented defaults", () => {
  const config = fw.New().Configuration();
  assertEquals(config.PostMaxMemory, 32 << 20);
  assertEquals([config.MaxFormFields, config.MaxForm, config.MaxBody], [1000, 10 << 20, 128 << 20]);
  assertEquals(config.BodyTimeout, { MinRate: 500, Grace: 10_000, Total: 1_800_000 });
  assertEquals([config.Charset, config.ShutdownTimeout, config.VHost], ["UTF-8", 8_000, ""]);
});

Deno.test("WithLogLevel sets the level of the logger immediately", () => {
  assertEquals(fw.New().Configure(fw.WithLogLevel("debug")).Logger().Level(), "debug");
});

const refusals: [what: string, configurator: fw.Configurator, message: string][] = [
  [
    "a negative rate",
    fw.WithBodyTimeout({ MinRate: -1 }),
    'Setting "BodyTimeout.MinRate" must be a non-negative number, not "-1"',
  ],
  [
    "an unknown limit of the body",
    fw.WithBodyTimeout({ Totl: 1 } as Partial<fw.BodyTimeout>),
    'Cannot set "BodyTimeout.Totl": there is no such setting; did you mean "Total"?',
  ],
  ["a negative memory", fw.WithPostMaxMemory(-1), 'Setting "PostMaxMemory" must be a non-negative number, not "-1"'],
  [
    "a memory that is not a number",
    fw.WithPostMaxMemory(NaN),
    'Setting "PostMaxMemory" must be a non-negative number, not "NaN"',
  ],
  [
    "a negative timeout",
    fw.WithShutdownTimeout(-5),
    'Setting "ShutdownTimeout" must be a non-negative number, not "-5"',
  ],
  [
    "a charset that is not one",
    fw.WithCharset("utf-8\r\nx: 1"),
    'Charset must be a valid charset name, not "utf-8\r\nx: 1"',
  ],
  ["an empty charset", fw.WithCharset(""), 'Charset must be a valid charset name, not ""'],
  [
    "a forwarding header without proxies",
    fw.WithConfiguration({ RemoteAddrHeaders: ["X-Forwarded-For"] }),
    'Cannot trust the header "X-Forwarded-For": no trusted proxy is configured',
  ],
  [
    "a proxy that is not an address",
    fw.WithProxy({ Trust: ["proxy.internal"] }),
    'Cannot read the trusted proxy "proxy.internal": it is not an IP address or network',
  ],
  [
    "a forwarding header whose name is not valid",
    fw.WithConfiguration({ RemoteAddrHeaders: ["X Forwarded"], TrustedProxies: ["10.0.0.1"] }),
    'Cannot trust the header "X Forwarded": it is not a valid header name',
  ],
];

for (const [what, configurator, message] of refusals) {
  Deno.test(`Application.Build() rejects ${what}`, () => {
    const app = fw.New();
    const error = assertThrows(() => {
      app.Configure(configurator);
      app.Build();
    }, fw.FrameworkError);
    assertEquals([error.Code, error.message], ["FW_CONFIG", message]);
  });
}

Deno.test("Application.Build() accepts minimum and typical values", () => {
  fw.New().Build();
  fw.New().Configure(fw.WithPostMaxMemory(0), fw.WithShutdownTimeout(0)).Build();
  fw.New().Configure(fw.WithProxy({ Trust: ["10.0.0.0/8", "::1"] })).Build();
});

for (
  const [setting, message] of [
    [{ Developement: true }, 'Cannot set "Developement": there is no such setting; did you mean "Development"?'],
    [{ Tea: true }, 'Cannot set "Tea": there is no such setting'],
    [{ MaxJSONSize: 1 }, 'Cannot set "MaxJSONSize": it was renamed to "MaxDocument"'],
    [{ MaxBody: "1" }, 'Setting "MaxBody" must be a non-negative number, not "1"'],
    [{ BodyTimeout: null }, 'Setting "BodyTimeout" must be of type object, not null'],
    [{ BodyTimeout: { Totl: 1 } }, 'Setting "BodyTimeout.MinRate" must be a non-negative number, not "undefined"'],
    [{ TrustedProxies: {} }, 'Setting "TrustedProxies" must be of type array, not object'],
    [{ AutoHead: "no" }, 'Setting "AutoHead" must be of type boolean, not string'],
    [{ Charset: 8 }, 'Setting "Charset" must be of type string, not number'],
    [{ TrustedProxies: "10.0.0.0/8" }, 'Setting "TrustedProxies" must be of type array, not string'],
  ] as const
) {
  Deno.test(`Application.Build() rejects the untyped setting ${JSON.stringify(setting)}`, () => {
    const app = fw.New().Configure(fw.WithConfiguration(setting as unknown as Partial<fw.Configuration>));
    assertThrows(() => app.Build(), fw.FrameworkError, message);
  });
}
