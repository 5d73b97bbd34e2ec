/**
 * Generated from `src/browser/development/page.css` by `deno task media`.
 *
 * @module
 */

/** The style sheet. */
export const style: string =
  ":root{color-scheme:light dark}body{margin:0;font:16px/1.5 system-ui,sans-serif;background:light-dark(#fafaf9,#16181b);color:light-dark(#1f2328,#e6e6e3);overflow-wrap:anywhere}main{max-width:60rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.4rem;margin:0}h2{font-size:.8rem;margin:2rem 0 .4rem;text-transform:uppercase;letter-spacing:.06em;color:light-dark(#5c636b,#a2a9b1)}h2.file{text-transform:none;letter-spacing:0}.status{color:light-dark(#a52222,#f09090);font-weight:700}pre,code{font:.88rem/1.6 ui-monospace,monospace}pre{margin:0;padding:.8rem;border-radius:.5rem;background:light-dark(#f1f1ee,#22262b);white-space:pre-wrap}mark{display:inline-block;min-width:100%;color:inherit;background:light-dark(#ffe1dc,#53242a)}table{border-collapse:collapse;width:100%;font-size:.92rem}td{padding:.25rem .8rem .25rem 0;vertical-align:top;border-top:1px solid light-dark(#e2e2df,#33373d)}td:first-child{min-width:9rem;color:light-dark(#5c636b,#a2a9b1)}footer{margin-top:2.5rem;color:light-dark(#5c636b,#a2a9b1);font-size:.88rem}@media (max-width:40rem){td{display:block}td + td{border:0;padding-top:0}}";
