/**
 * Installed extensions, as recorded in the registry.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Measured } from "../../exchange/meter.ts";
import type { CallViewFunc, LabelRule, Provider } from "../../exchange/attachments.ts";
import type { ErrorText, Extension } from "../../context/extension.ts";

/** The contributions of extensions to the calls of a party. */
export interface PartyAttachments {
  readonly providers: Map<object, Provider>;
  readonly labels: LabelRule[];
  readonly viewFuncs: Map<string, CallViewFunc>;
}

/** Returns the contributions to a party, which are created on first use. Most parties have none. */
export function attachedTo(party: { attached: PartyAttachments | undefined }): PartyAttachments {
  return party.attached ??= { providers: new Map(), labels: [], viewFuncs: new Map() };
}

/** A check that runs when the application is built. */
export interface StartCheck {
  readonly name: string;
  /** The name of the extension. */
  readonly extension: string;
  readonly run: (signal: AbortSignal) => unknown;
}

/** The record of an installed extension. `P` is the type of its party. */
export class Installation<P> {
  readonly name: string;
  readonly party: P;
  readonly checks: Record<string, (signal: AbortSignal) => unknown> = {};
  /** Functions that return the error of failed background work. */
  readonly failing: (() => unknown)[] = [];
  readonly meters: (() => readonly Measured[])[] = [];
  readonly panels: Record<string, () => unknown> = {};
  readonly codes: Record<string, ErrorText> = {};

  constructor(name: string, party: P) {
    this.name = name;
    this.party = party;
  }
}

/** A party whose extensions are known. */
interface Nested<P> {
  readonly parent: P | undefined;
}

/**
 * Checks that an extension can be installed on a party.
 *
 * @throws {FrameworkError} If it is not an extension, if its name is taken, or if another one that it needs is missing.
 */
export function checkExtension<P extends Nested<P>>(
  extension: Extension<unknown>,
  party: P,
  installed: readonly Installation<P>[],
): void {
  const { Name, Needs = [], Many = false, Seam = 1, Install } = Object(extension) as Partial<Extension<unknown>>;
  if (typeof Name !== "string" || Name === "" || typeof Install !== "function") {
    const hint = typeof extension === "function" ? "; call the function that creates it" : "";
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot install an extension: it must have a "Name" and a method "Install"${hint}`,
    );
  }
  if (Seam !== 1) {
    throw new FrameworkError("FW_STATE", `Cannot install "${Name}": it requires version ${Seam} of the host, not 1`);
  }
  const above = installed.filter((each) => isAbove(each.party, party));
  if (!Many && (above.some(({ name }) => name === Name) || isBelowTaken(installed, party, Name))) {
    throw new FrameworkError("FW_STATE", `Cannot install "${Name}": it is already installed`);
  }
  for (const need of Needs) {
    if (above.some(({ name }) => name === need)) continue;
    throw new FrameworkError(
      "FW_STATE",
      `Cannot install "${Name}": it needs "${need}", which is not installed before it`,
    );
  }
}

function isBelowTaken<P extends Nested<P>>(installed: readonly Installation<P>[], party: P, name: string): boolean {
  return installed.some((each) => each.name === name && isAbove(party, each.party));
}

/** Reports whether a party is the other one or one of its ancestors. */
function isAbove<P extends Nested<P>>(party: P, other: P): boolean {
  for (let at: P | undefined = other; at !== undefined; at = at.parent) if (at === party) return true;
  return false;
}
