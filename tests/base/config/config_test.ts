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

Deno.test("WithLogLevel sets the level of the logger immediately, and rejects unknown levels", () => {
  const wrong = "loud" as "debug";
  assertThrows(() => fw.WithLogLevel(wrong), fw.FrameworkError, 'it must be a log level such as "info", not "loud"');
  assertEquals(fw.New().Configure(fw.WithLogLevel("debug")).Logger().Level(), "debug");
});

const refusals: [what: string, configurator: () => fw.Configurator, message: string][] = [
  [
    "a negative rate",
    () => fw.WithBodyTimeout({ MinRate: -1 }),
    'Cannot use the option "MinRate" of WithBodyTimeout: it must be a non-negative number, not -1',
  ],
  [
    "an unknown limit of the body",
    () => fw.WithBodyTimeout({ Totl: 1 } as Partial<fw.BodyTimeout>),
    'Cannot use the option "Totl" of WithBodyTimeout: there is no such option; its options are: MinRate, Grace, Total; did you mean "Total"?',
  ],
  [
    "a negative memory",
    () => fw.WithPostMaxMemory(-1),
    'Cannot use the option "PostMaxMemory" of the configuration: it must be a non-negative number, not -1',
  ],
  [
    "a memory that is not a number",
    () => fw.WithPostMaxMemory(NaN),
    'Cannot use the option "PostMaxMemory" of the configuration: it must be a non-negative number, not NaN',
  ],
  [
    "a negative timeout",
    () => fw.WithShutdownTimeout(-5),
    'Cannot use the option "ShutdownTimeout" of the configuration: it must be a non-negative number, not -5',
  ],
  [
    "a charset that is not one",
    () => fw.WithCharset("utf-8\r\nx: 1"),
    'Cannot use the option "Charset" of the configuration: it must be a valid charset name, not "utf-8\\r\\nx: 1"',
  ],
  [
    "an empty charset",
    () => fw.WithCharset(""),
    'Cannot use the option "Charset" of the configuration: it must be a valid charset name, not ""',
  ],
  [
    "a forwarding header without proxies",
    () => fw.WithConfiguration({ RemoteAddrHeaders: ["X-Forwarded-For"] }),
    'Cannot trust the header "X-Forwarded-For": no trusted proxy is configured',
  ],
  [
    "a proxy that is not an address",
    () => fw.WithProxy({ Trust: ["proxy.internal"] }),
    'Cannot read the trusted proxy "proxy.internal": it is not an IP address or network',
  ],
  [
    "a forwarding header whose name is not valid",
    () => fw.WithConfiguration({ RemoteAddrHeaders: ["X Forwarded"], TrustedProxies: ["10.0.0.1"] }),
    'Cannot trust the header "X Forwarded": it is not a valid header name',
  ],
];

for (const [what, configurator, message] of refusals) {
  Deno.test(`configurators or Application.Build() reject ${what}`, () => {
    const app = fw.New();
    const error = assertThrows(() => {
      app.Configure(configurator());
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
    [
      { Developement: true },
      'the option "Developement" of the configuration: there is no such option; its options are: ',
    ],
    [{ Developement: true }, 'did you mean "Development"?'],
    [{ Tea: true }, 'the option "Tea" of the configuration: there is no such option'],
    [{ MaxJSONSize: 1 }, 'the option "MaxJSONSize" of the configuration: it was renamed to "MaxDocument"'],
    [{ MaxBody: "1" }, '"MaxBody" of the configuration: it must be a non-negative number, not a string'],
    [{ BodyTimeout: null }, '"BodyTimeout" of the configuration: it must be an object, not null'],
    [{ BodyTimeout: { Totl: 1 } }, 'the option "Totl" of the configuration.BodyTimeout: there is no such option'],
    [{ BodyTimeout: { Total: 1 } }, 'the options of the configuration.BodyTimeout: "MinRate" is missing'],
    [{ TrustedProxies: {} }, '"TrustedProxies" of the configuration: it must be an array of strings, not an object'],
    [{ AutoHead: "no" }, '"AutoHead" of the configuration: it must be a boolean, not a string'],
    [{ Charset: 8 }, '"Charset" of the configuration: it must be a valid charset name, not 8'],
    [
      { TrustedProxies: "10.0.0.0/8" },
      '"TrustedProxies" of the configuration: it must be an array of strings, not a string',
    ],
  ] as const
) {
  Deno.test(`WithConfiguration() and Application.Build() reject ${JSON.stringify(setting)}: ${message}`, () => {
    const untyped = setting as unknown as Partial<fw.Configuration>;
    assertThrows(() => fw.WithConfiguration(untyped), fw.FrameworkError, message);
    const app = fw.New().Configure((config) => void Object.assign(config, untyped));
    assertThrows(() => app.Build(), fw.FrameworkError, message);
  });
}

Deno.test("Application.Build() reports a setting that a configurator has removed", () => {
  const app = fw.New().Configure((config) => Reflect.set(config, "MaxBody", undefined));
  assertThrows(() => app.Build(), fw.FrameworkError, '"MaxBody" is missing; it must be a non-negative number');
});
