/**
 * The methods of the protocol.
 *
 * @module
 */

import { exchangeOf } from "../../core/context/context.ts";
import { InputRequired } from "./agent_call.ts";
import type { Caller, Calls } from "./calls.ts";
import type { Changes } from "./changes.ts";
import { complete } from "./completion.ts";
import { codes, type Message, type Params, ProtocolError } from "./wire/messages.ts";
import { assertMirrored } from "./wire/mirrored_headers.ts";
import type { Settings } from "./options.ts";
import { describePrompt } from "./tool/prompts.ts";
import type { ProtocolSessions, Session } from "./protocol_sessions.ts";
import type { RequestStates } from "./request_state.ts";
import { listResources, listTemplates } from "./tool/resources.ts";
import { meta, readLevel, versionFor, versions } from "./wire/revisions.ts";
import type { BoundTool } from "./tool/tool.ts";
import type { Offers } from "./tools.ts";
import { visibleTo } from "./tool/visibility.ts";

/** The dependencies of the methods. */
export interface Service extends Offers {
  readonly settings: Settings;
  readonly calls: Calls;
  readonly changes: Changes;
  readonly states: RequestStates;
  readonly sessions: ProtocolSessions | undefined;
}

/** The caller of a method, and the caller's session, if the revision has sessions. */
export interface MethodCaller extends Caller {
  readonly session: { readonly id: string; readonly value: Session } | undefined;
}

type Method = (service: Service, params: Params, caller: MethodCaller) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** The maximum number of tools, prompts or resources per page. */
const pageSize = 200;

/** The time that a client may use a result again, by method, in milliseconds. The lists depend on the caller. */
const lifetimes: Readonly<Record<string, number>> = {
  "server/discover": 60_000,
  "tools/list": 60_000,
  "prompts/list": 60_000,
  "resources/list": 60_000,
  "resources/templates/list": 60_000,
  "resources/read": 0,
};

const shared: Methods = {
  async "tools/list"({ tools }, params, { ctx }) {
    return page("tools", (await visibleTo(ctx, tools.values())).map(({ tool }) => tool), params);
  },
  "tools/call"({ tools, calls }, params, caller) {
    return calls.callTool(named("call", tools, params), params["arguments"] ?? {}, caller);
  },
  async "prompts/list"({ prompts }, params, { ctx }) {
    return page("prompts", (await visibleTo(ctx, prompts.values())).map(describePrompt), params);
  },
  "prompts/get"({ prompts, calls }, params, caller) {
    return calls.getPrompt(named("get", prompts, params), params["arguments"] ?? {}, caller);
  },
  async "resources/list"(service, params, { ctx }) {
    return page("resources", listResources(await visibleTo(ctx, resourcesOf(service))), params);
  },
  async "resources/templates/list"(service, params, { ctx }) {
    return page("resourceTemplates", listTemplates(await visibleTo(ctx, resourcesOf(service))), params);
  },
  "resources/read"(service, params, caller) {
    return service.calls.readResource(resourcesOf(service), params["uri"], caller);
  },
  async "completion/complete"(service, params, { ctx }) {
    const prompts = await visibleTo(ctx, service.prompts.values());
    const resources = await visibleTo(ctx, resourcesOf(service));
    return await complete({ prompts, resources, complete: service.settings.Complete }, params, ctx);
  },
};

/** The methods of the revisions with sessions. */
const older: Methods = {
  ...shared,
  initialize(service, params) {
    const { Instructions } = service.settings;
    return {
      protocolVersion: versionFor(params["protocolVersion"]),
      capabilities: capabilitiesOf(service, service.sessions !== undefined),
      serverInfo: serverInfoOf(service),
      ...Instructions === undefined ? {} : { instructions: Instructions },
    };
  },
  ping() {
    return {};
  },
  async "logging/setLevel"(service, params, caller) {
    const level = readLevel(params["level"]);
    await update(service, caller, (session) => ({ ...session, client: { ...session.client, level } }));
    return {};
  },
  async "resources/subscribe"(service, { uri }, caller) {
    if (typeof uri !== "string") throw new ProtocolError(codes.params, 'Cannot subscribe: "uri" is not a string');
    await update(
      service,
      caller,
      (session) => ({ ...session, uris: [...new Set([...session.uris, uri])].slice(-1000) }),
    );
    return {};
  },
  async "resources/unsubscribe"(service, { uri }, caller) {
    await update(service, caller, (session) => ({ ...session, uris: session.uris.filter((each) => each !== uri) }));
    return {};
  },
};

/** The methods of revision 2026-07-28. */
const newer: Methods = {
  ...shared,
  "tools/call"({ tools, calls }, params, caller) {
    const bound = named("call", tools, params);
    const given = params["arguments"] ?? {};
    assertMirrored(bound.tool.inputSchema, given, exchangeOf(caller.ctx).request.headers);
    return calls.callTool(bound, given, caller);
  },
  "server/discover"(service) {
    const { Instructions } = service.settings;
    return {
      supportedVersions: versions,
      capabilities: capabilitiesOf(service, true),
      ...Instructions === undefined ? {} : { instructions: Instructions },
    };
  },
};

/** Handles a request of a revision with sessions. */
export async function serveOlder(service: Service, message: Message, caller: MethodCaller): Promise<unknown> {
  return await find(service, older, message)(service, message.params, caller);
}

/** Handles a request of revision 2026-07-28. */
export async function serveNewer(service: Service, message: Message, caller: MethodCaller): Promise<unknown> {
  const { method, params } = message;
  const serve = find(service, newer, message);
  const round = await service.states.roundOf(caller.ctx, message);
  const _meta = { [meta.server]: serverInfoOf(service) };
  try {
    const result = Object(await serve(service, params, { ...caller, replies: round.replies, round }));
    const lifetime = Object.hasOwn(lifetimes, method) ? lifetimes[method] : undefined;
    const caching = lifetime === undefined ? {} : { ttlMs: lifetime, cacheScope: "private" };
    return { resultType: "complete", ...result, ...caching, _meta };
  } catch (error) {
    if (error instanceof InputRequired) {
      return { ...await service.states.resultOf(caller.ctx, message, round.id, error), _meta };
    }
    if (error instanceof ProtocolError && error.code === codes.noResource) {
      throw new ProtocolError(codes.params, error.message, { uri: params["uri"] });
    }
    throw error;
  }
}

function find({ prompts, settings }: Service, methods: Methods, { method }: Message): Method {
  const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
  const isOff = method.startsWith("prompts/") && prompts.size === 0 ||
    method.startsWith("resources/") && settings.Resources === false;
  if (serve !== undefined && !isOff) return serve;
  throw new ProtocolError(
    codes.method,
    `Cannot serve "${method}": there is no such method in the supported versions ${versions.join(", ")}`,
  );
}

function capabilitiesOf({ prompts, settings }: Service, canNotify: boolean): Params {
  const listChanged = canNotify ? { listChanged: true } : {};
  const subscribe = canNotify ? { subscribe: true } : {};
  return {
    tools: listChanged,
    ...settings.Resources === false ? {} : { resources: { ...subscribe, ...listChanged } },
    ...prompts.size === 0 ? {} : { prompts: listChanged },
    logging: {},
    completions: {},
  };
}

function serverInfoOf({ settings: { Name, Version } }: Service): Params {
  return { name: Name, version: Version };
}

async function update(
  { sessions }: Service,
  { ctx, session }: MethodCaller,
  change: (session: Session) => Session,
): Promise<void> {
  if (session !== undefined) await sessions?.write(ctx, session.id, change(session.value));
}

function named(act: string, all: ReadonlyMap<string, BoundTool>, { name }: Params): BoundTool {
  const bound = typeof name === "string" ? all.get(name) : undefined;
  if (bound !== undefined) return bound;
  const kind = act === "call" ? "tool" : "prompt";
  throw new ProtocolError(codes.params, `Cannot ${act} "${name}": there is no such ${kind}`);
}

function resourcesOf({ settings, tools }: Service): Iterable<BoundTool> {
  return settings.Resources === false ? [] : tools.values();
}

/** Returns one page of a list. The cursor is the index of the first item on the next page. */
function page(name: string, all: readonly unknown[], { cursor }: Params): Record<string, unknown> {
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0 || start > all.length) {
    throw new ProtocolError(codes.params, `Cannot list ${name}: "${cursor}" is not a cursor`);
  }
  const end = start + pageSize;
  return { [name]: all.slice(start, end), ...end < all.length ? { nextCursor: String(end) } : {} };
}
