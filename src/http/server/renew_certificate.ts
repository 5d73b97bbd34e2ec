/**
 * Replaces the certificate of a listener while it is serving requests.
 *
 * Deno cannot change the certificate of an open listener. Instead, the listener is closed and immediately opened again,
 * which takes a few milliseconds. The old listener finishes its requests in flight. Clients that connect in between
 * must retry, unless the port is shared (`fw.WithSocketSharding`).
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { type Endpoint, openEndpoint, type Wiring } from "./endpoint.ts";
import type { ServerLog } from "./log.ts";
import { readPEM } from "./pem.ts";
import type { TLSRunner } from "./runner.ts";
import { sleep } from "./wait.ts";

/** The operations on a server's listeners. */
export interface Handover {
  /** Closes the old listener. Its requests in flight continue. */
  retire(): Promise<void>;
  /** Starts serving on the new listener. */
  adopt(endpoint: Endpoint): void;
  /** Reports whether the server has begun to shut down. */
  isStopping(): boolean;
}

const attempts = 100;
const pause = 10;

/**
 * Reads the certificate files and serves with their current content. If the files cannot be read or do not match, logs
 * an error and keeps the old certificate.
 *
 * @param runner The address and the files.
 * @param wiring The options for `Deno.serve`.
 * @param log The server log.
 * @param handover The operations on the listeners.
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
    await assertPair(Certificate, Key);
    const renewed = { ...runner, Certificate, Key };
    await assertAccepted(renewed, wiring);
    await replace(renewed, wiring, handover);
    log.Info("Certificate reloaded");
  } catch (error) {
    log.Error("Cannot reload the certificate, keeping the old one:", error);
  }
}

/** Throws if a certificate and a key do not match. This check runs while the old listener is still open. */
async function assertPair(certificate: string, key: string): Promise<void> {
  const { createPrivateKey, X509Certificate } = await loadModule(() => import("node:crypto"));
  if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return;
  throw new FrameworkError("FW_LISTEN", "Cannot use the key: it does not belong to the certificate");
}

/**
 * Throws if Deno does not accept a certificate, for example because of the kind of its key. This is tried on another
 * port, while the old listener is still open.
 */
async function assertAccepted(runner: TLSRunner, wiring: Wiring): Promise<void> {
  const { server } = await openEndpoint({ ...runner, Address: "127.0.0.1:0" }, { ...wiring, reusePort: false });
  await server.shutdown();
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
