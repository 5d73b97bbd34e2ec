/**
 * Installs extensions. Each method of their host records one kind of contribution. This is the only way in which
 * features attach to an application.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { either, filled, flag, func, required, text, texts, where } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { isObject } from "../../base/config/returned.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { loadCallScope } from "../context/call_scope.ts";
import { noteConversion } from "../context/provided.ts";
import type { Handler } from "../context/handler.ts";
import type { Carried, LabelRule } from "../exchange/attachments.ts";
import type { Measured } from "../exchange/meter.ts";
import type { Key } from "../exchange/values.ts";
import { checkRules } from "./seam/option_rules.ts";
import type {
  CallFunc,
  CallHandler,
  Carry,
  ErrorFactory,
  ErrorText,
  Extension,
  Host,
  HostApp,
  HostParty,
  HostRoute,
  LabelUse,
  OptionRules,
  OptionsOf,
  PanelCall,
  RunOptions,
} from "../context/extension.ts";
import { isHeaderToken } from "../../base/text/header_token.ts";
import { attachedTo, checkExtension, Installation, notePlace } from "./record/installation.ts";
import type { PartyRecord, Registry } from "./record/registry.ts";
import type { Route } from "./record/route.ts";
import type { RouteSpec } from "./record_route.ts";
import { SupervisedWork } from "./seam/work.ts";

/** Installs an extension on a party. */
export function install<T>(
  registry: Registry,
  record: PartyRecord,
  extension: Extension<T>,
  party: HostParty,
  addRoute: (spec: RouteSpec) => Route,
): T {
  checkExtension(extension, record, registry.places);
  registry.assertNotBuilt(`install "${extension.Name}"`);
  const restore = registry.snapshot(record);
  const installation = new Installation(extension.Name, record, registry.installed.length);
  registry.installed.push(installation);
  notePlace(registry.places, installation);
  try {
    const result = extension.Install(new ExtensionHost(registry, installation, party, addRoute));
    if (!isThenable(result)) return result;
    result.then(undefined, () => {});
  } catch (error) {
    restore();
    throw error;
  }
  restore();
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot install "${extension.Name}": its method "Install" is asynchronous; use Check or Run for asynchronous work`,
  );
}

/** The host of one extension. */
class ExtensionHost implements Host {
  readonly Seam = 1;
  readonly Party: HostParty;
  readonly #registry: Registry;
  readonly #installation: Installation<PartyRecord>;
  readonly #addRoute: (spec: RouteSpec) => Route;

  /** Creates the host of an extension that is being installed. */
  constructor(
    registry: Registry,
    installation: Installation<PartyRecord>,
    party: HostParty,
    addRoute: (spec: RouteSpec) => Route,
  ) {
    this.#addRoute = addRoute;
    this.#registry = registry;
    this.#installation = installation;
    this.Party = party;
  }

  get App(): HostApp {
    return this.#registry.app as HostApp;
  }

  Options<R extends OptionRules>(given: unknown, rules: R): OptionsOf<R> {
    return checkRules(this.#installation.name, given, rules);
  }

  Errors<C extends string>(codes: Readonly<Record<C, ErrorText>>): ErrorFactory<C> {
    this.#open("declare error codes", isObject(codes), "Errors takes an object");
    const { name } = this.#installation;
    for (const [code, text] of Object.entries<ErrorText>(codes)) {
      readOptions(errorTable, text, `the error code "${code}"`);
      const isTaken = (this.#registry.codes.get(code) ?? name) !== name;
      if (isTaken || !/^(?!FW_)[A-Z][A-Z0-9_]*$/.test(code)) {
        const why = isTaken ? "another extension has declared it" : "it must consist of capital letters";
        throw new FrameworkError("FW_CONFIG", `Cannot declare the error code "${code}": ${why}`);
      }
    }
    Object.assign(this.#installation.codes, codes);
    for (const code in codes) this.#registry.codes.set(code, name);
    return (code, message, options) => {
      if (!Object.hasOwn(codes, code)) throw this.#wrong("it has not declared the code of an error");
      return Object.assign(new Error(message, options), { name: `${name} [${code}]`, Code: code });
    };
  }

  Provide<T>(key: Key<T>, of: CallFunc<T>, carry?: Carry<Awaited<T>>): void {
    const isFine = Object(key).IsKey === true && typeof of === "function";
    this.#open("provide a value", isFine, "Provide takes a key, created with fw.Key, and a function");
    const { party, name } = this.#installation;
    const { providers } = attachedTo(party);
    if (providers.has(key)) throw this.#wrong(`the value "${key.Name}" is already provided`);
    const carried = carry === undefined ? undefined : this.#carried(key, carry);
    providers.set(key, {
      extension: name,
      slot: this.#registry.slots++,
      of: of as (ctx: unknown) => unknown,
      carry: carried,
    });
  }

  Label(name: string, of: CallFunc<string | undefined>, use: LabelUse): void {
    // fw itself has labels with the other names.
    const isFine = isNamed(/^(?!http_|le$|request_id$)[a-z][a-z0-9_]*$/, name) && typeof of === "function";
    this.#open("declare a label", isFine, "Label takes an unused name in lower case and a function");
    const { labels } = attachedTo(this.#installation.party);
    if (labels.some((rule) => rule.name === name)) throw this.#wrong(`its party already has "${name}"`);
    const { Log, Metric, Vary } = readOptions(labelTable, use, `the label "${name}"`);
    const rule: LabelRule = {
      name,
      of: this.#guarded(`the label "${name}"`, of as (ctx: unknown) => unknown),
      isLogged: Log,
      metric: Metric === undefined ? undefined : new Set(Metric),
      isVaried: Vary !== false,
      header: typeof Vary === "string" ? Vary : "",
    };
    labels.push(rule);
  }

  ViewFunc(name: string, fn: CallFunc<unknown, readonly never[]>): void {
    const isFine = isNamed(/^[A-Za-z_$][\w$]*$/, name) && typeof fn === "function";
    this.#open("add a function to views", isFine, "ViewFunc takes a name and a function");
    const { viewFuncs } = attachedTo(this.#installation.party);
    if (viewFuncs.has(name)) throw this.#wrong(`its party already has "${name}"`);
    viewFuncs.set(name, fn as (ctx: unknown, ...args: unknown[]) => unknown);
  }

  Page(path: string, ...handlers: readonly CallHandler[]): HostRoute {
    this.#open("add a page", typeof path === "string", "Page takes a path and handlers");
    const [, method = "GET", rest = path] = /^([A-Z]+) (.*)$/.exec(path) ?? [];
    return this.#addRoute({ method, path: rest, handlers: handlers as readonly Handler[], isPage: true });
  }

  Panel(title: string, read: (call: PanelCall) => unknown): void {
    this.#open("add a panel", isNamed(/./, title) && typeof read === "function", "Panel takes a title and a function");
    this.#addNew(this.#installation.panels, title, read);
  }

  Check(name: string, check: (signal: AbortSignal) => unknown, when: "start" | "ready"): void {
    const isFine = isNamed(/./, name) && typeof check === "function" && (when === "start" || when === "ready");
    this.#open("add a check", isFine, 'Check takes a name, a function, and "start" or "ready"');
    if (when === "ready") this.#addNew(this.#installation.checks, name, check);
    else this.#registry.startChecks.push({ name, extension: this.#installation.name, run: check });
  }

  Meter(read: () => readonly Measured[]): void {
    this.#open("add numbers to the metrics", typeof read === "function", "Meter takes a function");
    this.#installation.meters.push(read);
  }

  Run(work: (signal: AbortSignal) => unknown, options: RunOptions = {}): void {
    this.#open("run work in the background", typeof work === "function", "Run takes a function");
    const { name, works } = this.#installation;
    readOptions(runTable, options, `Run of ${name}`);
    const limit = () => this.App.Configuration().ShutdownTimeout;
    const supervised = new SupervisedWork(name, work, options, this.#registry.logger, limit);
    this.#registry.works.push(supervised);
    works.push(supervised);
  }

  /** Checks and records the conversion of a value for jobs. */
  #carried<T>(key: Key<unknown>, carry: Carry<T>): Carried {
    const { party: { prefix: at }, name: extension } = this.#installation;
    if (typeof Object(carry).Encode !== "function" || typeof Object(carry).Decode !== "function") {
      throw this.#wrong(`the value "${key.Name}" needs the functions Encode and Decode to be carried to jobs`);
    }
    const { carried: names } = this.#registry;
    // Jobs store the values by name.
    if ((names.get(key.Name) ?? key) !== key) {
      throw this.#wrong(`another value with the name "${key.Name}" is carried to jobs`);
    }
    names.set(key.Name, key);
    const carried: Carried = {
      name: key.Name,
      extension,
      at,
      encode: (value) => carry.Encode(value as T),
      decode: (data) => carry.Decode(data),
    };
    noteConversion(key, this.App, carried);
    this.#registry.startChecks.push({ name: "values for jobs", extension, run: loadCallScope });
    return carried;
  }

  /** Throws if nothing can be added anymore, or if the arguments are not of the kinds that a method takes. */
  #open(act: string, isFine = true, takes = ""): void {
    const { name } = this.#installation;
    this.#registry.assertNotBuilt(`${act} for "${name}"`);
    if (!isFine) throw this.#wrong(takes);
    if (this.#registry.installed[this.#installation.at] === this.#installation) return;
    throw new FrameworkError("FW_STATE", `Cannot ${act} for "${name}": it could not be installed`);
  }

  /** Adds a contribution with a name that another one must not have, because it would be hidden. */
  #addNew<T>(list: Record<string, T>, name: string, value: T): void {
    if (Object.hasOwn(list, name)) throw this.#wrong(`it already has "${name}"`);
    list[name] = value;
  }

  #wrong(state: string): FrameworkError {
    return new FrameworkError("FW_CONFIG", `Cannot install "${this.#installation.name}": ${state}`);
  }

  /** Wraps a function so that a failure is logged once and results in `undefined`. */
  #guarded(what: string, of: (ctx: unknown) => unknown): (ctx: unknown) => string | undefined {
    let isReported = false;
    let isRunning = false;
    return (ctx) => {
      // A label may write log lines, which have labels.
      if (isRunning) return undefined;
      try {
        isRunning = true;
        const value = of(ctx);
        if (typeof value === "string" || value === undefined) return value;
        if (isThenable(value)) value.then(undefined, () => {});
        throw new TypeError(`It must return a string or undefined, not a value of type "${typeof value}"`);
      } catch (error) {
        if (!isReported) this.#registry.logger.Error(`Cannot read ${what} of "${this.#installation.name}":`, error);
        isReported = true;
        return undefined;
      } finally {
        isRunning = false;
      }
    };
  }
}

function isNamed(pattern: RegExp, name: unknown): boolean {
  return typeof name === "string" && pattern.test(name);
}

const errorTable = optionTable<ErrorText>("ErrorText", "Errors")({
  Meaning: required(filled()),
  Remedy: required(filled()),
});

const labelTable = optionTable<LabelUse>("LabelUse", "Label")({
  Log: flag(false),
  Metric: texts(),
  Vary: either(false, flag(), where(text(), "the name of a request header", isHeaderToken)),
});

const runTable = optionTable<RunOptions>("RunOptions", "Run")({ Drain: func(), Dispose: func() });
