/**
 * Installed extensions, as recorded in the registry.
 *
 * @module
 */

import { count, flag, texts } from "../../../base/config/option_kinds.ts";
import { checkValue } from "../../../base/config/option_table.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { assertExtension } from "../../context/extend.ts";
import type { Measured } from "../../exchange/meter.ts";
import type { CallViewFunc, LabelRule, Provider } from "../../exchange/attachments.ts";
import type { ErrorText, Extension, PanelCall } from "../../context/extension.ts";

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

/** Background work that may have failed. */
export interface FailingWork {
  readonly failure: unknown;
  /** Throws the failure. */
  readonly check: () => void;
}

/** The record of an installed extension. `P` is the type of its party. */
export class Installation<P> {
  readonly name: string;
  readonly party: P;
  readonly checks: Record<string, (signal: AbortSignal) => unknown> = {};
  readonly works: FailingWork[] = [];
  readonly meters: (() => readonly Measured[])[] = [];
  readonly panels: Record<string, (call: PanelCall) => unknown> = {};
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
  assertExtension(extension);
  const { Name, Needs = [], Many = false, Seam = 1 } = extension;
  checkValue(Needs, texts(), "Needs", Name);
  checkValue(Many, flag(), "Many", Name);
  checkValue(Seam, count(), "Seam", Name);
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
