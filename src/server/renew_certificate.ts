/**
 * Replaces the certificate of a listener while it serves.
 *
 * Deno cannot change the certificate of an open listener. So the listener is closed and opened again at once, which
 * takes some milliseconds: requests in flight are finished by the old one, and clients that connect in between try
 * again, unless the port is shared (`fw.WithSocketSharding`).
 *
 * @module
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { FrameworkError } from "../base/errors.ts";
import { type Endpoint, openEndpoint, type Wiring } from "./endpoint.ts";
import type { ServerLog } from "./log.ts";
import { readPEM } from "./pem.ts";
import type { TLSRunner } from "./runner.ts";
import { sleep } from "./wait.ts";

/** What a server does with its listeners. */
export interface Handover {
  /** Closes the old listener; its requests in flight go on. */
  retire(): Promise<void>;
  /** Serves by the new one. */
  adopt(endpoint: Endpoint): void;
  /** Whether the server has begun to stop. */
  isStopping(): boolean;
}

const attempts = 100;
const pause = 10;

/**
 * Reads the files and serves with what they hold now. If they cannot be read or do not fit together, an error is logged
 * and the old certificate stays.
 *
 * @param runner The address and the files.
 * @param wiring What to serve with.
 * @param log The log of the server.
 * @param handover What is done with the listeners.
 */
export async function renewCertificate(
  runner: TLSRunner,
  wiring: Wiring,
  log: ServerLog,
  handover: Handover,
): Promise<void> {
  try {
    const Certificate = await readPEM("certificate", runner.Certificate);
    const Key = await readPEM("key", runner.Key);
    assertPair(Certificate, Key);
    await replace({ ...runner, Certificate, Key }, wiring, handover);
    log.Info("Certificate loaded again");
  } catch (error) {
    log.Error("Cannot load the certificate again, the old one stays in use:", error);
  }
}

/** Fails if a certificate and a key do not fit together, while the old listener is still open. */
function assertPair(certificate: string, key: string): void {
  if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return;
  throw new FrameworkError("FW_LISTEN", "Cannot use the key: it does not belong to the certificate");
}

async function replace(runner: TLSRunner, wiring: Wiring, handover: Handover): Promise<void> {
  const first = wiring.reusePort ? await openEndpoint(runner, wiring) : undefined;
  await handover.retire();
  if (first !== undefined) return handover.adopt(first);
  for (let attempt = 1; !handover.isStopping(); attempt++) {
    try {
      return handover.adopt(await openEndpoint(runner, wiring));
    } catch (error) {
      if (attempt === attempts) throw error;
      await sleep(pause);
    }
  }
}
