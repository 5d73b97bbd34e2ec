/**
 * The contributions of installed extensions, as read by the build, the health endpoints, metrics and development pages.
 *
 * @module
 */

import { quietTimeout } from "../../base/async/quiet_timeout.ts";
import { isThenable } from "../../base/async/thenable.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import type { Measured } from "../exchange/meter.ts";
import { joinPaths } from "./party_prefix.ts";
import type { Installed } from "../context/extension.ts";
import type { Installation, StartCheck } from "./record/installation.ts";
import type { PartyRecord, Registry } from "./record/registry.ts";

/** The time limit for a start-up check. */
const CHECK_MS = 30_000;

/**
 * Runs the checks of the extensions, in order of installation.
 *
 * @returns A promise if any check is asynchronous.
 * @throws The error of the first check that fails.
 */
export function runStartChecks({ startChecks }: Registry): Promise<void> | undefined {
  const waiting: Promise<void>[] = [];
  // A check may add further ones.
  for (const check of startChecks) {
    const finding = runCheck(check);
    if (finding !== undefined) waiting.push(finding);
  }
  return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
}

function runCheck(check: StartCheck): Promise<void> | undefined {
  const late = new AbortController();
  let result: unknown;
  try {
    result = check.run(late.signal);
  } catch (error) {
    throw failureOf(check, error);
  }
  if (isThenable(result)) return waitFor(check, result, late);
  if (result === false) throw failureOf(check, new Error("It returned false"));
  return undefined;
}

async function waitFor(check: StartCheck, result: PromiseLike<unknown>, late: AbortController): Promise<void> {
  const limit = quietTimeout(CHECK_MS);
  try {
    const outcome = await Promise.race([result, limit.passed.then(() => limit)]);
    if (outcome === limit) {
      late.abort();
      throw new Error(`It has no result after ${CHECK_MS / 1_000} s`);
    }
    if (outcome === false) throw new Error("It returned false");
  } catch (error) {
    throw failureOf(check, error);
  } finally {
    limit.cancel();
  }
}

/** Returns the error of a check. fw's own errors name their cause themselves. */
function failureOf({ name, extension }: StartCheck, error: unknown): unknown {
  if (error instanceof FrameworkError) return error;
  const message = `Cannot start the application: the check "${name}" of "${extension}" failed: ${messageOf(error)}`;
  return new FrameworkError("FW_STATE", message, { cause: error });
}

/** Returns the extensions of an application and of those that it passes requests to. */
export function extensionsOf(registry: Registry): readonly Installed[] {
  return gather(registry, "", new Set());
}

function gather(registry: Registry, prefix: string, seen: Set<Registry>): readonly Installed[] {
  if (seen.has(registry)) return [];
  seen.add(registry);
  return [
    ...registry.installed.map((each) => infoOf(each, prefix, registry)),
    ...registry.mounts.flatMap((mount) => gather(mount.registry, joinPaths(prefix, mount.prefix), seen)),
  ];
}

function infoOf(installation: Installation<PartyRecord>, prefix: string, registry: Registry): Installed {
  const { name, party, checks, panels, codes } = installation;
  return {
    Name: name,
    Prefix: joinPaths(prefix, party.prefix),
    Checks: { ...checks, ...failuresOf(installation) },
    Panels: panels,
    Errors: codes,
    Measure: () => measure(installation, registry),
  };
}

/** Returns a failing check for each background work that has failed. */
function failuresOf({ name, works }: Installation<PartyRecord>): Installed["Checks"] {
  const failed = works.filter(({ failure }) => failure !== undefined);
  return Object.fromEntries(failed.map(({ check }, at) => [at === 0 ? name : `${name} ${at + 1}`, check]));
}

/** The extensions whose meters have failed, which is logged once. */
const reported = new WeakSet<Installation<PartyRecord>>();

/** Reads the numbers of an extension. Those of a meter that fails are left out. */
function measure(installation: Installation<PartyRecord>, { logger }: Registry): readonly Measured[] {
  return installation.meters.flatMap((read) => {
    try {
      const measured: unknown = read();
      if (isThenable(measured)) measured.then(undefined, () => {});
      if (Array.isArray(measured) && measured.every(isMeasured)) return measured;
      throw new TypeError("It must return a list of numbers with names");
    } catch (error) {
      if (!reported.has(installation)) logger.Error(`Cannot read the numbers of "${installation.name}":`, error);
      reported.add(installation);
      return [];
    }
  });
}

function isMeasured(each: unknown): boolean {
  const { Name, Type, Help, Value, Labels = {} } = Object(each) as Partial<Measured>;
  return typeof Name === "string" && /^[a-zA-Z_:][\w:]*$/.test(Name) && typeof Help === "string" &&
    (Type === "counter" || Type === "gauge") && typeof Value === "number" &&
    Object.entries(Object(Labels)).every(([name, value]) => /^[a-zA-Z_]\w*$/.test(name) && typeof value === "string");
}
