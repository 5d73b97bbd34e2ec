/**
 * Marks comments, strings, keywords and numbers in code.
 *
 * @module
 */

const script =
  /(?<c>\/\/.*|\/\*[^]*?\*\/)|(?<s>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\b(?<k>abstract|as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|finally|for|from|function|if|implements|import|in|instanceof|interface|keyof|let|new|null|of|readonly|return|satisfies|static|super|switch|this|throw|true|false|try|type|typeof|undefined|using|void|while|yield)\b(?!\s*[:(]\s*\{)|\b(?<n>\d[\d_]*(?:\.\d+)?n?)\b/g;
const shell =
  /(?<c>(?<=^|\s)#.*)|(?<s>"(?:\\.|[^"\\])*"|'[^']*')|(?<k>^\s*(?:\$ )?(?:deno|curl|docker|git|npx|npm|cd|mkdir|sudo|systemctl)\b)|(?<n>(?<=\s)--?[\w-]+)/gm;
const data =
  /(?<c>#.*|\/\/.*)|(?<s>"(?:\\.|[^"\\\n])*"|'[^'\n]*')|\b(?<k>true|false|null)\b|\b(?<n>-?\d+(?:\.\d+)?)\b/g;
const markup = /(?<c><!--[^]*?-->)|(?<s>"[^"<>]*")|(?<k><%[-=~_]?|[-_]?%>|<\/?[\w-]+|\/?>)/g;

const languages: Readonly<Record<string, RegExp>> = {
  ts: script,
  js: script,
  tsx: script,
  jsx: script,
  sh: shell,
  json: data,
  jsonc: data,
  yaml: data,
  yml: data,
  toml: data,
  ini: data,
  html: markup,
  xml: markup,
};

/** Returns code as HTML, with the parts that its language distinguishes. */
export function highlight(code: string, language: string): string {
  const pattern = languages[language];
  if (pattern === undefined) return escapeHTML(code);
  let html = "";
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(pattern)) {
    const name = Object.keys(groups).find((each) => groups[each] !== undefined);
    html += `${escapeHTML(code.slice(end, index))}<span class="${name}">${escapeHTML(text)}</span>`;
    end = index + text.length;
  }
  return html + escapeHTML(code.slice(end));
}

/** Escapes text for HTML. */
export function escapeHTML(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
