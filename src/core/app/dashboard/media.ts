/**
 * Generated from `src/browser/dashboard/page.css` and `src/browser/dashboard/main.ts` by `deno task media`.
 *
 * @module
 */

/** The style sheet. */
export const style: { readonly text: string; readonly hash: string } = {
  "text":
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem}nav{border-bottom:1px solid var(--line)}nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:0;padding:.75rem 1rem}nav a{text-decoration:none;padding:.25rem 0}nav a[aria-current]{font-weight:700;border-bottom:2px solid}nav b{padding:0 .4rem;border-radius:1rem;background:var(--bad);color:var(--back);font-size:.8rem}main{max-width:110rem}.tools{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin-bottom:1rem}textarea{width:100%;min-height:6rem}.scroll table{min-width:44rem}td:has(svg){width:40%;min-width:10rem}td:has(+ td > svg),td:has(+ td + td > svg),time{white-space:nowrap}svg{display:block;width:100%;height:.9rem}rect{fill:var(--soft)}rect.handler{fill:var(--accent)}rect.query{fill:light-dark(#8a5a00,#e0b050)}rect.fetch{fill:var(--good)}",
  "hash": "sha256-4V9vDWaX7BeplR6pytshY3GNibEKzhZRYe4CV9I+MEU=",
};

/** The script. */
export const script: { readonly text: string; readonly hash: string } = {
  "text":
    '(function(){let e=document.querySelector(`[data-live="true"]`),t=document.querySelector(`[data-pause]`),n=document.querySelector(`[data-copy]`),r=!1;function i(e){let t=e.querySelector(`:focus:not(.scroll)`)!==null;return r||document.hidden||t||getSelection()?.isCollapsed===!1}async function a(e){if(i(e))return;let t=await fetch(location.href);if(!t.ok)return;let n=new DOMParser().parseFromString(await t.text(),`text/html`);if(i(e))return;let r=`[data-live="true"] thead`,a=document.querySelector(r)?.innerHTML===n.querySelector(r)?.innerHTML;for(let e of[a?`[data-live="true"] tbody`:`[data-live="true"]`,`nav a[href$="/problems"]`]){let[t,r]=[document.querySelector(e),n.querySelector(e)];t!==null&&r!==null&&t.innerHTML!==r.innerHTML&&(t.innerHTML=r.innerHTML)}}e!==null&&setInterval(()=>void a(e).catch(()=>{}),1e3),t!==null&&(t.hidden=!1,t.addEventListener(`click`,()=>{r=!r,t.textContent=r?`Continue`:`Pause`})),n!==null&&(n.hidden=!1,n.addEventListener(`click`,async()=>{await navigator.clipboard.writeText(n.parentElement?.previousElementSibling?.textContent??``),n.textContent=`Copied`}))})();',
  "hash": "sha256-8ErwPfpsxH2KjDV01EB2VZox/CHZ7YUG88drB2DkE6g=",
};
