import { assert, assertMatch, assertThrows } from "@std/assert";
import * as answers from "../../../src/live/answers/mod.ts";
import * as fw from "../../../mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as mcp from "../../../src/api/mcp/mod.ts";
import * as accesslog from "../../../src/middleware/accesslog/mod.ts";
import * as compress from "../../../src/middleware/compress/mod.ts";
import * as cors from "../../../src/middleware/cors.ts";
import * as csrf from "../../../src/middleware/csrf/mod.ts";
import * as etag from "../../../src/middleware/etag.ts";
import * as ipfilter from "../../../src/middleware/ipfilter.ts";
import * as jwt from "../../../src/middleware/jwt/mod.ts";
import * as oauth from "../../../src/middleware/oauth/mod.ts";
import * as ratelimit from "../../../src/middleware/ratelimit.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as webhooks from "../../../src/work/webhooks/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { quiet } from "../../serving.ts";

/** The functions that take options, by their names in the migration table. Settings without an owner have no name. */
const users: Readonly<Record<string, (options: Record<string, unknown>) => unknown>> = {
  "": configured,
  "accesslog": with_(accesslog.New),
  "answers": with_(answers.New),
  "compress": with_(compress.New),
  "cors": with_(cors.New),
  "csrf": with_(csrf.New),
  "etag": with_(etag.New),
  "fw.Proxy": (options) => fw.Proxy("http://127.0.0.1:1", options),
  "fw.RedirectToHTTPS": with_(fw.RedirectToHTTPS),
  "ipfilter": with_(ipfilter.New),
  "jwt": with_(jwt.New),
  "mcp": withApp(mcp.New),
  "oauth": with_(oauth.New),
  "ratelimit": with_(ratelimit.New),
  "sessions": with_(sessions.New),
  "webhooks.Send": with_(webhooks.Send),
  "webhooks.Verify": with_(webhooks.Verify),
};

/** An option that has another name since 0.2. */
interface Renamed {
  readonly Owner: string;
  readonly Before: string;
  readonly Now: string;
}

/** Reads the renamed options from the rows of migration tables, such as "`OnDeny` of `ipfilter` | `OnRefuse`". */
function renamedOptions(changelog: string): Renamed[] {
  const [news = ""] = changelog.split("\n## 0.2.0");
  const found: Renamed[] = [];
  for (const [, before = "", now = ""] of news.matchAll(/^\| (`.*?) +\| (.*?) +\|$/gm)) {
    const groups: { names: string[]; owners: string[] }[] = [];
    for (const token of codeIn(before)) {
      const last = groups.at(-1);
      if (!isName(token)) last?.owners.push(token);
      else if (last === undefined || last.owners.length > 0) groups.push({ names: [token], owners: [] });
      else last.names.push(token);
    }
    const isSetting = codeIn(before).some((token) => token.startsWith("fw.With"));
    const pairs = groups.flatMap(({ names, owners }) =>
      names.map((name) => ({ name, owners: isSetting ? [""] : owners.filter((each) => /^[a-z][\w./]*$/.test(each)) }))
    );
    const [list = ""] = now.split(/;|, (?!`)/);
    const names = codeIn(list).filter(isName);
    for (const [at, { name, owners }] of pairs.entries()) {
      const Now = names[names.length < pairs.length ? 0 : at];
      if (Now === undefined || optionName(Now) === optionName(name) || /(Config|Host)$/.test(name)) continue;
      found.push(...owners.map((Owner) => ({ Owner, Before: optionName(name), Now: optionName(Now) })));
    }
  }
  return found;
}

function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]*)`/g)].map(([, code = ""]) => code);
}

/** Reports whether a token is the name of an option, with or without a value. */
function isName(token: string): boolean {
  return /^[A-Z]\w*(: .*)?$/.test(token);
}

function optionName(token: string): string {
  return token.replace(/:.*/, "");
}

function configured(options: Record<string, unknown>): unknown {
  return fw.New().Configure(fw.WithConfiguration(options)).Build();
}

function with_(create: (options: never) => unknown): (options: Record<string, unknown>) => unknown {
  return (options) => create(options as never);
}

function withApp(
  create: (app: fw.Application, options: never) => unknown,
): (options: Record<string, unknown>) => unknown {
  return (options) => create(quiet(), options as never);
}

const changelog = await Deno.readTextFile(new URL("../../../CHANGELOG.md", import.meta.url));
const renamed = renamedOptions(changelog);

Deno.test("The migration table lists the renamed options", () => {
  const known = renamed.map(({ Owner, Before, Now }) => `${Owner} ${Before} ${Now}`);
  for (
    const each of [
      " MaxJSONSize MaxDocument",
      "webhooks.Verify MaxBodySize MaxBody",
      "compress MinSize MinBody",
      "webhooks.Send MaxResponseSize MaxResponse",
      "fw.Proxy MaxResponseSize MaxResponse",
      "mcp MaxResultSize MaxResult",
      "answers MaxSize MaxAnswer",
      "ratelimit OnLimit OnRefuse",
      "csrf TrustedOrigins Origins",
      "fw.RedirectToHTTPS Except Skip",
    ]
  ) assert(known.includes(each), each);
  assert(known.length >= 20, known.join("\n"));
});

for (const { Owner, Before, Now } of renamed) {
  Deno.test(`An option that was renamed is refused with its new name: ${Before}${Owner && ` of ${Owner}`}`, () => {
    const use = users[Owner];
    assert(use, `no function of "${Owner}" is known here`);
    const error = assertThrows(() => use({ [Before]: 1 }), fw.FrameworkError, `was renamed to "${Now}"`);
    assertMatch(error.message, new RegExp(`"([\\w]+\\.)?${Before}"`));
  });
}

Deno.test("An option in an object that was renamed is refused with its new name", () => {
  const Signer = jwt.NewSigner({ Algorithm: "HS256", Key: new Uint8Array(32) });
  assertThrows(
    () => jwt.NewPairs({ Signer, Verification: { ClockTolerance: 1 } as never }),
    fw.FrameworkError,
    'Cannot use the option "ClockTolerance" of jwt.NewPairs.Verification: it was renamed to "Tolerance"',
  );
});

Deno.test("A namespace or timeout that is passed as an argument is not ignored", async () => {
  const hub = live.New();
  const server = websocket.New({ Hub: hub, Presence: true });
  server.On("tell", () => "tea");
  const conns: websocket.Conn[] = [];
  server.On(websocket.OnNamespaceConnected, (conn) => void conns.push(conn));
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.Ask("tell");
  const [conn] = conns;
  const chat = "chat" as never;
  for (
    const use of [
      () => hub.Topic("tea", chat),
      () => hub.Presence("tea", chat),
      () => live.Presence("tea", chat),
      () => server.Presence("tea", chat),
      () => server.To("tea", chat),
      () => server.ToUser("ada", chat),
      () => server.Conns(chat),
      () => server.Broadcast(null, "said", 1, chat),
      () => conn?.Ask("question", null, 5_000 as never),
      () => socket.Ask("tell", null, chat),
      () => socket.Emit("tell", null, chat),
    ]
  ) assertThrows(use, fw.FrameworkError, "they must be an object, not ", String(use));
  await socket.Close();
  await hub.Close();
});
