/**
 * Fails with a clear message on other runtimes, which would otherwise report an unknown global.
 *
 * @module
 */

if (!("Deno" in globalThis)) {
  throw new Error('Cannot load "@fw/web": it requires Deno 2.9.5 or later; only "@fw/web/client" runs elsewhere');
}
