/**
 * Generated from `src/browser/parts/page.css` by `deno task media`.
 *
 * @module
 */

/** The style sheet. */
export const style: { readonly text: string; readonly hash: string } = {
  "text":
    ":root{color-scheme:light dark;--back:light-dark(#fafaf9,#16181b);--card:light-dark(#ffffff,#1e2125);--line:light-dark(#e2e2df,#33373d);--text:light-dark(#1f2328,#e6e6e3);--soft:light-dark(#5c636b,#a2a9b1);--tint:light-dark(#f1f1ee,#262a2f);--accent:light-dark(#0b6b5b,#5ccdb8);--onaccent:light-dark(#ffffff,#0c1f1b);--good:light-dark(#1c6b3a,#74cf98);--bad:light-dark(#a52222,#f09090)}*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}header,main,footer{max-width:80rem;margin:0 auto;padding:1rem}h1{margin:0 0 .75rem;font-size:1.4rem}h2{margin:2rem 0 .5rem;font-size:1.05rem}a{color:var(--accent)}:focus-visible{outline:2px solid var(--accent);outline-offset:1px}.soft,small,thead th,footer{color:var(--soft)}.bad{color:var(--bad);font-weight:600}.scroll{overflow-x:auto;overflow-wrap:break-word}table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}th,td{padding:.35rem .8rem .35rem 0;text-align:left;vertical-align:top;border-top:1px solid var(--line)}th{font-weight:500;overflow-wrap:normal}.facts th{width:12rem;overflow-wrap:anywhere;color:var(--soft)}pre,code{font:.88rem/1.5 ui-monospace,monospace}pre{margin:0;padding:.7rem;border-radius:.4rem;background:var(--tint);white-space:pre-wrap}mark{display:inline-block;min-width:100%;color:inherit;background:light-dark(#ffe1dc,#53242a)}iframe{width:100%;height:30rem;border:1px solid var(--line);background:#fff}summary{cursor:pointer}form.act{display:inline-block;margin:0 .3rem .2rem 0}input,textarea,select,button{font:inherit;color:inherit;padding:.35rem .6rem;background:var(--card);border:1px solid var(--line);border-radius:.4rem}button{border-color:var(--accent);color:var(--accent);cursor:pointer}@media (max-width:40rem){:is(.facts,.stack) :is(th,td){display:block;width:auto;overflow-wrap:anywhere}.facts td,.stack td + td{border:0;padding-top:0}.stack thead{display:none}}",
  "hash": "sha256-D724hTiDxBrGBc8QU+FnPxaKEMB/9TcqYdfuKFhBFoo=",
};
