/**
 * Rejects other runtimes before a module fails there with an unknown global.
 *
 * @module
 */

if (!("Deno" in globalThis)) {
  throw new Error('Cannot load "@fw/web": it requires Deno 2.9.5 or later; only "@fw/web/client" runs elsewhere');
}
