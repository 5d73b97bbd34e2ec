/**
 * Generated from `src/browser/jobs/page.css` by `deno task media`.
 *
 * @module
 */

/** The style sheet. */
export const style: string =
  ":root{color-scheme:light dark;--line:light-dark(#d8dce3,#333a45);--soft:light-dark(#5b6472,#9aa4b2)}body{margin:0;padding:1.5rem clamp(1rem,4vw,3rem);font:15px/1.5 system-ui,sans-serif;overflow-wrap:break-word}h1{font-size:1.4rem;margin:0 0 1rem}h2{font-size:1rem;margin:1.75rem 0 .5rem}div{overflow-x:auto;border:1px solid var(--line);border-radius:.6rem}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{padding:.45rem .8rem;text-align:left;vertical-align:top}th{font-size:.8rem;font-weight:500;color:var(--soft)}tbody tr{border-top:1px solid var(--line)}form{display:inline-block;margin:0 .3rem .2rem 0}small{color:var(--soft)}pre{white-space:pre-wrap;margin:.5rem 0}:last-child:is(th,td){position:sticky;right:0;background:canvas}";
