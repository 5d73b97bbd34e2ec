/**
 * Generated from `src/browser/listing/page.css` by `deno task media`.
 *
 * @module
 */

/** The style sheet. */
export const style: string =
  ":root{color-scheme:light dark}body{margin:0;font:16px/1.6 system-ui,sans-serif;background:light-dark(#fafaf9,#16181b);color:light-dark(#1f2328,#e6e6e3);overflow-wrap:anywhere}main{max-width:52rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.3rem}table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:500;font-size:.88rem;color:light-dark(#5c636b,#a2a9b1)}td{border-top:1px solid light-dark(#e2e2df,#33373d)}th,td{padding:.35rem .8rem .35rem 0}td:nth-child(n+2),th:nth-child(n+2){text-align:right;white-space:nowrap;color:light-dark(#5c636b,#a2a9b1);font-variant-numeric:tabular-nums}a{color:light-dark(#0b6b5b,#5ccdb8);text-decoration:none}a:hover,a:focus-visible{text-decoration:underline}@media (max-width:30rem){td:nth-child(3),th:nth-child(3){display:none}}";
