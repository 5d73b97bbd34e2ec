/**
 * The table of doors and properties. Each cell is a check or the reason why there is none.
 *
 * @module
 */

import { type Door, type DoorName, doors } from "./door.ts";
import { inProcess, jsonStream, language, mount, route, switched, version } from "./http_doors.ts";
import { jobChecks, jobExceptions } from "./job_checks.ts";
import { job } from "./job_door.ts";
import { type Check, properties } from "./properties.ts";
import { renewal } from "./renewal_door.ts";
import { renewalChecks } from "./renewal_checks.ts";
import { liveEvent, socketIOEvent } from "./socket_doors.ts";
import { toolCall } from "./tool_door.ts";

const all: Readonly<Record<DoorName, Door>> = {
  "route": route,
  "version": version,
  "language": language,
  "mount": mount,
  "switch": switched,
  "in process": inProcess,
  "JSON stream": jsonStream,
  "live event": liveEvent,
  "Socket.IO event": socketIOEvent,
  "tool call": toolCall,
  "cache renewal": renewal,
  "job": job,
};

/** The checks of doors at which a property shows in another way. */
const ownChecks: Partial<Record<DoorName, Readonly<Record<string, Check>>>> = {
  "cache renewal": renewalChecks,
  "job": jobChecks,
};

const onlyHandshake = "The timeout limits the handshake; a reply has the timeout of the client that awaits it";
const withoutBody = "A renewal repeats a GET request, which has no body";
const onlySuccess = "An error is not stored, so there is nothing to renew";

/** The properties that do not apply at a door, with the reason. */
const exceptions: Readonly<Record<string, Partial<Record<DoorName, string>>>> = {
  "limit: the time": {
    "live event": onlyHandshake,
    "Socket.IO event": onlyHandshake,
    "cache renewal": "A response that took too long was not stored, so there is nothing to renew",
  },
  "limit: the size": { "cache renewal": withoutBody },
  "limit: the depth": { "cache renewal": withoutBody },
  "policy: code that is not allowed is stopped, and the reason is logged once and not shown": {
    "cache renewal": onlySuccess,
  },
  "errors: an HTTP error keeps its status and message": { "cache renewal": onlySuccess },
  "errors: an unexpected error is not shown": { "cache renewal": onlySuccess },
  "sight: a failure is reported once": { "cache renewal": onlySuccess },
  "abort: a client that leaves ends the work, which is not an error": {
    "cache renewal": "A renewal has no client: it goes on for the clients that will be served from the cache",
  },
};

/** A cell of the table: a check, a reason, or neither if it was forgotten. */
export interface Cell {
  readonly property: string;
  readonly door: DoorName;
  readonly check: (() => Promise<void>) | undefined;
  readonly reason: string | undefined;
}

/** Returns the cells of the table. */
export function cells(): Cell[] {
  return Object.entries(properties).flatMap(([property, check]: [string, Check]) =>
    doors.map((door) => {
      const reason = door === "job" ? jobExceptions[property] : exceptions[property]?.[door];
      const own = ownChecks[door]?.[property] ?? check;
      return { property, door, reason, check: reason === undefined ? () => own(all[door]) : undefined };
    })
  );
}
