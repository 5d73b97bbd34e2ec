/**
 * Detects bundles. In a bundle, names are unique but may differ from the published ones.
 *
 * @module
 */

let isOne: boolean | undefined = undefined;

/**
 * Reports whether the calling program is bundled into one file with fw. In that case, a top-level name refers to
 * exactly one function. The program must be on the stack, which is the case when it registers something.
 */
export function isInOneBundle(): boolean {
  return isOne ??= new Set(filesOnStack()).size === 1;
}

/**
 * Returns the files of the functions on the stack, without those of the runtime. To save time, line numbers are not
 * computed.
 */
function filesOnStack(): string[] {
  const { prepareStackTrace, stackTraceLimit } = Error as unknown as Partial<StackOptions>;
  const holder: { stack?: unknown } = {};
  try {
    Object.assign(Error, {
      stackTraceLimit: Infinity,
      prepareStackTrace: (_: Error, sites: readonly CallSite[]) => sites.map((site) => site.getFileName() ?? "ext:"),
    });
    Error.captureStackTrace(holder);
    return (holder.stack as string[]).filter((file) => !/^(?:ext|node):/.test(file));
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}

interface CallSite {
  getFileName(): string | null;
}

interface StackOptions {
  readonly prepareStackTrace: (error: Error, sites: readonly CallSite[]) => unknown;
  readonly stackTraceLimit: number;
}
