/**
 * Generated from `src/browser/mail/page.css` by `deno task media`.
 *
 * @module
 */

/** The style sheet. */
export const style: string =
  ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884;vertical-align:top}iframe{width:100%;height:30rem;border:1px solid #8884;background:#fff}pre{white-space:pre-wrap;border:1px solid #8884;padding:1rem}";
