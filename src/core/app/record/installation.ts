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
  /** The position in the list of installed extensions. */
  readonly at: number;

  constructor(name: string, party: P, at: number) {
    this.name = name;
    this.party = party;
    this.at = at;
  }
}

/** A party whose extensions are known. */
interface Nested<P> {
  readonly parent: P | undefined;
}

/**
 * The places of extensions by their names: `true` for a party with the extension, and `false` for the parties around
 * it. Applications may have thousands of extensions, so checking one must not scan all of them.
 */
export type Places<P> = Map<string, Map<P, boolean>>;

/** Records the place of an extension. */
export function notePlace<P extends Nested<P>>(places: Places<P>, { name, party }: Installation<P>): void {
  const own = places.get(name) ?? new Map<P, boolean>();
  places.set(name, own.set(party, true));
  for (let at = party.parent; at !== undefined && !own.has(at); at = at.parent) own.set(at, false);
}

/**
 * Checks that an extension can be installed on a party.
 *
 * @throws {FrameworkError} If it is not an extension, if its name is taken, or if another one that it needs is missing.
 */
export function checkExtension<P extends Nested<P>>(
  extension: Extension<unknown>,
  party: P,
  places: Places<P>,
): void {
  assertExtension(extension);
  const { Name, Needs = [], Many = false, Seam = 1 } = extension;
  checkValue(Needs, texts(), "Needs", Name);
  checkValue(Many, flag(), "Many", Name);
  checkValue(Seam, count(), "Seam", Name);
  const missing = Needs.find((need) => !isAbove(places, need, party));
  const isTaken = !Many && (isAbove(places, Name, party) || places.get(Name)?.has(party));
  const state = Seam !== 1
    ? `it requires version ${Seam} of the host, not 1`
    : isTaken
    ? "it is already installed"
    : missing !== undefined && `it needs "${missing}", which is not installed before it`;
  if (state) throw new FrameworkError("FW_STATE", `Cannot install "${Name}": ${state}`);
}

/** Reports whether a party or one of its ancestors has an extension. */
function isAbove<P extends Nested<P>>(places: Places<P>, name: string, party: P): boolean {
  const own = places.get(name);
  for (let at: P | undefined = party; own && at; at = at.parent) if (own.get(at)) return true;
  return false;
}
