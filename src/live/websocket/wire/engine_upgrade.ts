/**
 * Upgrades Socket.IO clients from polling to a WebSocket. The client tests the WebSocket while it still polls.
 *
 * @module
 */

import { Engine } from "./engine_payload.ts";
import type { Socket, SocketOwner } from "./socket.ts";

/** The connection to upgrade. */
export interface UpgradeHost {
  /** Called when the client has tested the WebSocket. */
  probed(): void;
  /** Called when the WebSocket replaces polling. */
  upgraded(socket: Socket): void;
  /** Called if the upgrade has failed. The client continues polling. */
  notUpgraded(): void;
  /** Called with each message after the upgrade. */
  received(data: string | ArrayBuffer): void;
  /** Called when the WebSocket closes after the upgrade. */
  closed(code: number, reason: string): void;
}

/** The time that a client has to complete an upgrade, in milliseconds. */
const UPGRADE_MS = 10_000;
const PROBE = "probe";

/** A WebSocket that replaces polling after the client has tested it. */
export class Upgrade implements SocketOwner {
  readonly #polling: UpgradeHost;
  #socket: Socket | undefined = undefined;
  #state: "new" | "probed" | "done" | "failed" = "new";
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(polling: UpgradeHost) {
    this.#polling = polling;
    this.#timer = setTimeout(() => this.fail(), UPGRADE_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Reports whether the client has tested the WebSocket. */
  get isProbed(): boolean {
    return this.#state === "probed";
  }

  /** Attaches the WebSocket, which is not open yet. */
  use(socket: Socket): void {
    this.#socket = socket;
  }

  opened(): void {
    if (this.#state === "failed") this.#close();
  }

  received(data: string | ArrayBuffer): void {
    if (this.#state === "done") return this.#polling.received(data);
    if (this.#state === "new" && data === Engine.Ping + PROBE) {
      this.#state = "probed";
      this.#socket?.send(Engine.Pong + PROBE);
      return this.#polling.probed();
    }
    if (this.#state !== "probed" || data !== Engine.Upgrade || this.#socket === undefined) return this.fail();
    this.#state = "done";
    clearTimeout(this.#timer);
    this.#polling.upgraded(this.#socket);
  }

  closed(code: number, reason: string): void {
    if (this.#state === "done") this.#polling.closed(code, reason);
    else this.fail();
  }

  /** Gives up the upgrade. */
  fail(): void {
    if (this.#state === "failed") return;
    clearTimeout(this.#timer);
    this.#state = "failed";
    this.#polling.notUpgraded();
    this.#close();
  }

  #close(): void {
    this.#socket?.close(1002, "The upgrade has failed");
  }
}

/** Returns the owner of a WebSocket that is closed when it opens. Some clients do not expect a refused handshake. */
export function refusedUpgrade(): Upgrade {
  const upgrade = new Upgrade({ probed() {}, upgraded() {}, notUpgraded() {}, received() {}, closed() {} });
  upgrade.fail();
  return upgrade;
}
