/**
 * The table of all attacks.
 *
 * @module
 */

import type { AttackTable } from "./attack.ts";
import { answerAttacks } from "./cases/answers.ts";
import { blowupAttacks } from "./cases/blowups.ts";
import { clientAttacks } from "./cases/clients.ts";
import { contextAttacks } from "./cases/contexts.ts";
import { crossingAttacks, joinedAttacks, readHostAttacks } from "./cases/crossings.ts";
import { entryAttacks } from "./cases/entries.ts";
import { fileAttacks } from "./cases/files.ts";
import { choiceAttacks, formatAttacks, formatBlowups, languageAttacks } from "./cases/formats.ts";
import { framingAttacks } from "./cases/framing.ts";
import { guardAttacks } from "./cases/guards.ts";
import { headerAttacks } from "./cases/headers.ts";
import { hostAttacks } from "./cases/hosts.ts";
import { http2Attacks } from "./cases/http2.ts";
import { identityAttacks } from "./cases/identity.ts";
import { jobAttacks } from "./cases/jobs.ts";
import { limitAttacks } from "./cases/limits.ts";
import { generatorAttacks, mountAttacks } from "./cases/mounts.ts";
import { oneRouteAttacks } from "./cases/one_route.ts";
import { mailAttacks, webhookAttacks } from "./cases/outside.ts";
import { pageAttacks } from "./cases/pages.ts";
import { prototypeAttacks } from "./cases/prototypes.ts";
import { proxiedFramingAttacks, proxyAttacks, upstreamFramingAttacks } from "./cases/proxy.ts";
import { publishedAttacks, streamAttacks } from "./cases/published.ts";
import { randomAttacks } from "./cases/random.ts";
import { sessionAttacks } from "./cases/sessions.ts";
import { describedAttacks, sharedAttacks } from "./cases/shared.ts";
import { pollingAttacks } from "./cases/polling.ts";
import { socketCallAttacks } from "./cases/socket_calls.ts";
import { toolAttacks, toolSessionAttacks } from "./cases/tools.ts";
import { uploadAttacks } from "./cases/uploads.ts";
import { websocketAttacks } from "./cases/websocket.ts";

/** All attacks by group. */
export const attacks: AttackTable = {
  "files": [...fileAttacks, ...joinedAttacks],
  "uploads": uploadAttacks,
  "framing": [...framingAttacks, ...proxiedFramingAttacks, ...upstreamFramingAttacks],
  "hosts and forwarding": [...hostAttacks, ...readHostAttacks, ...publishedAttacks],
  "round a guard": [
    ...guardAttacks,
    ...crossingAttacks,
    ...mountAttacks,
    ...entryAttacks.guards,
    ...identityAttacks,
    ...sharedAttacks,
    ...languageAttacks,
    ...choiceAttacks,
    ...oneRouteAttacks,
    ...toolAttacks,
    ...answerAttacks,
    ...webhookAttacks,
    ...proxyAttacks,
  ],
  "injected headers": [...headerAttacks, ...mailAttacks],
  "limits": limitAttacks,
  "prototype names": prototypeAttacks,
  "parser blow-ups": [...blowupAttacks, ...entryAttacks.blowups, ...formatBlowups, ...formatAttacks],
  "sessions": [...sessionAttacks, ...entryAttacks.cookies, ...toolSessionAttacks],
  "pages and leaks": [...contextAttacks, ...pageAttacks, ...entryAttacks.leaks, ...describedAttacks, ...jobAttacks],
  "bad clients": [...clientAttacks, ...generatorAttacks, ...randomAttacks, ...streamAttacks],
  "HTTP/2": http2Attacks,
  "WebSocket": [...websocketAttacks, ...socketCallAttacks, ...pollingAttacks],
};
