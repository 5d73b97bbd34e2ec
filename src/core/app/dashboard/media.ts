/**
 * Generated from `src/browser/dashboard/page.css` and `src/browser/dashboard/main.ts` by `deno task media`.
 *
 * @module
 */

/** The style sheet. */
export const style: string =
  ":root{color-scheme:light dark}body{margin:0;font:16px/1.5 system-ui,sans-serif;background:light-dark(#fafaf9,#16181b);color:light-dark(#1f2328,#e6e6e3)}a{color:light-dark(#0b57a4,#8ab8f0)}:focus-visible{outline:2px solid light-dark(#0b57a4,#8ab8f0);outline-offset:2px}.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem}nav{border-bottom:1px solid light-dark(#e2e2df,#33373d)}nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:0;padding:.75rem 1rem}nav a{text-decoration:none;padding:.25rem 0}nav a[aria-current]{font-weight:700;border-bottom:2px solid}nav b{padding:0 .4rem;border-radius:1rem;background:light-dark(#a52222,#f09090);color:light-dark(#fff,#16181b);font-size:.8rem}main{max-width:90rem;margin:0 auto;padding:1rem}h1{font-size:1.4rem}h2{font-size:1rem;margin:2rem 0 .4rem}.empty{color:light-dark(#5c636b,#a2a9b1)}.tools{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin-bottom:1rem}input,button{font:inherit;padding:.25rem .5rem}.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}th,td{padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top;border-top:1px solid light-dark(#e2e2df,#33373d);overflow-wrap:anywhere}.list{min-width:44rem}th{white-space:nowrap;overflow-wrap:normal}tbody th{width:12rem}thead th{color:light-dark(#5c636b,#a2a9b1);font-weight:600}pre{margin:0;padding:.6rem;border-radius:.5rem;background:light-dark(#f1f1ee,#22262b);font:.88rem/1.5 ui-monospace,monospace;white-space:pre-wrap}.bar{width:40%;min-width:10rem}svg{display:block;width:100%;height:.9rem}rect{fill:light-dark(#5c636b,#a2a9b1)}rect.handler{fill:light-dark(#0b57a4,#8ab8f0)}rect.query{fill:light-dark(#8a5a00,#e0b050)}rect.fetch{fill:light-dark(#1f6f3a,#7fcf9a)}";

/** The script. */
export const script: string =
  '!function(){"use strict";const e=document.querySelector(\'[data-live="true"]\'),t=document.querySelector("[data-pause]");let n=!1;null!==e&&setInterval(()=>{(async function(e){if(n||document.hidden||e.contains(document.activeElement))return;const t=await fetch(location.href);if(!t.ok)return;const r=(new DOMParser).parseFromString(await t.text(),"text/html").querySelector(\'[data-live="true"]\');null!==r&&r.innerHTML!==e.innerHTML&&(e.innerHTML=r.innerHTML)})(e).catch(()=>{})},1e3),null!==t&&(t.hidden=!1,t.addEventListener("click",()=>{n=!n,t.textContent=n?"Continue":"Pause"}))}();';
