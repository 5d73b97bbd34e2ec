/**
 * The page's style sheet, with a light and a dark color scheme.
 *
 * @module
 */

/** The page's style sheet. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: light-dark(#fafaf9, #16181b);
  --card: light-dark(#ffffff, #1e2125);
  --line: light-dark(#e2e2df, #33373d);
  --text: light-dark(#1f2328, #e6e6e3);
  --soft: light-dark(#5c636b, #a2a9b1);
  --tint: light-dark(#f1f1ee, #262a2f);
  --accent: light-dark(#0b6b5b, #5ccdb8);
  --onaccent: light-dark(#ffffff, #0c1f1b);
  --get: light-dark(#0a5fa8, #79b8f2);
  --post: light-dark(#1c6b3a, #74cf98);
  --put: light-dark(#8a5300, #e5b567);
  --delete: light-dark(#a52222, #f09090);
  --other: light-dark(#5b3f9e, #b9a3f0);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
header, main, #settings { max-width: 60rem; margin: 0 auto; padding: 1.25rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; align-items: end; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
h3 { font-size: .8rem; margin: 1.25rem 0 .4rem; color: var(--soft); text-transform: uppercase; letter-spacing: .06em; }
p { margin: .25rem 0; }
a { color: var(--accent); }
.note, .soft, .hint { color: var(--soft); }
.bad { color: var(--delete); }
.search { display: grid; gap: .25rem; font-size: .85rem; color: var(--soft); flex: 0 1 20rem; }
@media (max-width: 40rem) { .search { flex-basis: 100%; } }
input, textarea, select, button { font: inherit; color: inherit; }
input, textarea, select {
  width: 100%; padding: .4rem .6rem; background: var(--card); border: 1px solid var(--line); border-radius: .4rem;
}
textarea { min-height: 8rem; font: .85rem/1.5 ui-monospace, monospace; resize: vertical; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
details.route { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; }
details.route > summary {
  display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; padding: .6rem .8rem; cursor: pointer;
  list-style: none;
}
details.route > summary::-webkit-details-marker { display: none; }
details[open].route > summary { border-bottom: 1px solid var(--line); }
.method { font: 700 .8rem/1.5 ui-monospace, monospace; min-width: 4.2rem; color: var(--other); }
.method.get { color: var(--get); } .method.post { color: var(--post); }
.method.put, .method.patch { color: var(--put); } .method.delete { color: var(--delete); }
code, pre, .path { font-family: ui-monospace, monospace; font-size: .9rem; overflow-wrap: anywhere; }
.deprecated .path { text-decoration: line-through; }
#settings { padding-block: 0; }
#about { max-width: 42rem; } #about .words { margin-top: .6rem; }
.lock { font-size: .75rem; margin-left: auto; padding: 0 .4rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--soft); }
.words > :first-child { margin-top: 0; } .words > :last-child { margin-bottom: 0; }
.words ul, .words ol { margin: .25rem 0; padding-left: 1.4rem; }
.words blockquote { margin: .4rem 0; padding-left: .8rem; border-left: 3px solid var(--line); color: var(--soft); }
.words code { background: var(--tint); border-radius: .25rem; padding: .05rem .25rem; }
h4 { font-size: .95rem; margin: .75rem 0 .25rem; }
ul.tree { list-style: none; margin: .25rem 0; padding: 0; }
ul.tree ul.tree { margin-left: .35rem; padding-left: .85rem; border-left: 1px solid var(--line); }
ul.tree > li, .response { padding: .2rem 0; border-top: 1px solid var(--line); }
ul.tree > li:first-child { border-top: 0; }
ul.tree .words { font-size: .9rem; color: var(--soft); }
.member { display: inline-flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; font-size: .9rem; max-width: calc(100% - 1.2rem); }
.member .name { font-weight: 600; }
.type { color: var(--get); font-family: ui-monospace, monospace; font-size: .85rem; }
.schema > .member { margin: 0; }
summary { cursor: pointer; }
.inside { padding: .25rem .8rem 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; border-top: 0; }
pre { margin: .4rem 0; padding: .7rem; background: var(--tint); border-radius: .4rem; overflow: auto; max-height: 24rem; }
.fields { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); }
.field label { display: grid; gap: .2rem; font-size: .85rem; color: var(--soft); }
.field label > * { color: var(--text); }
.hint { font-size: .8rem; }
form .field, form .kinds { margin-top: .5rem; }
fieldset { margin: .75rem 0 0; padding: .4rem .8rem .8rem; border: 1px solid var(--line); border-radius: .4rem; min-width: 0; }
textarea.short { min-height: 3.5rem; }
.codes { margin-top: .75rem; } .codes .bar { display: flex; gap: .5rem; margin-top: .4rem; } .codes .bar select { width: auto; }
pre.code { white-space: pre-wrap; }
button.plain { margin: 0; background: none; color: var(--accent); border: 1px solid var(--line); padding: .3rem .8rem; }
button {
  margin-top: .75rem; padding: .45rem 1.1rem; border: 0; border-radius: .4rem; cursor: pointer; font-weight: 600;
  background: var(--accent); color: var(--onaccent);
}
button[disabled] { opacity: .6; cursor: progress; }
.status { font-weight: 600; }
`;
