/**
 * Splits strings into words for the search. The words are in lower case and without endings, and different names of
 * one thing become the same word. The browser uses this module, too.
 *
 * @module
 */

/** Other names, and the words that replace them in pages and questions. */
const names: readonly (readonly [RegExp, string])[] = [
  [/\bget(?:ting)? started\b|\bquick[ -]?start\b|\binstall(?:ing|ation)?(?: fw)?\W*$/g, "quickstart"],
  [/\bwhat(?:'s| is) (?:the )?(?:ctx|context)\b/g, "context object"],
  [/\bcannot (?:get|post|put|delete|patch)(?= ?(?:[^\w\s]|$))/gm, "404 route"],
  [/\b(?:log|sign)(?:ged|ging|s|ed|ing)?[ -]?(?:in|on)\b(?! (?:json|a file|files|production)\b)/g, "login"],
  [/\b(?:log|sign)(?:ged|ging|s|ed|ing)?[ -]?(?:out|off)\b/g, "logout"],
  [/\bsign(?:ing)?[ -]?up\b|\bregist(?:er|ration) (?:a |of )?(?:new )?users?\b/g, "signup"],
  [/\bweb[ -]?sockets?\b|\bwss?\b/g, "websocket"],
  [/\bsocket\.io\b|\bsocketio\b/g, "websocket socketio"],
  [/\bopen ?api\b|\bswagger(?:[ -]?ui)?\b|\bredoc\b/g, "openapi"],
  [
    /\b(?:hot|live|auto)[ -]?(?:module )?(?:re)?(?:load|start|replacement)(?:s|ing)?\b|\bnodemon\b|--watch\b/g,
    "restart change watch",
  ],
  [/\bdot[ -]?env\b|(?<![\w.])\.env\b|\benv(?:ironment)? files?\b/g, "dotenv environment"],
  [/\benv(?:ironment)?(?:[ -]?var(?:iable)?s?)?\b/g, "environment"],
  [/\bcron(?:[ -]?jobs?|tab)?\b|\bscheduled? (?:tasks?|jobs?)\b/g, "schedule"],
  [/\bcross[ -]?(?:origin|site|domain)(?: resource sharing| requests?)?\b(?! forgery)/g, "cors origin"],
  [/\bcross[ -]?site(?: request)? forgery\b|\bxsrf\b/g, "csrf"],
  [/\brate[ -]?limit(?:s|er|ers|ing|ed)?\b|\bthrottl(?:e|es|ed|er|ing)\b/g, "rate limit"],
  [/\bsingle[ -]pages?(?: (?:application|app)s?)?\b|\bspas?\b/g, "spa"],
  [/\bserver[ -]sent[ -]events?\b|\bsse\b|\bevent[ -]?source\b/g, "sse"],
  [/\be-mails?\b|\bemails?\b|\bsmtp\b|\bnodemailer\b/g, "mail"],
  [/\bjson web tokens?\b|\bjwts?\b|\bbearer\b/g, "jwt"],
  [/\boauth ?2?\b|\boidc\b|\bopen ?id(?: connect)?\b|\bsso\b/g, "openid"],
  [
    /\bi18n\b|\bl10n\b|\b(?:internationali|locali)[sz](?:e|ed|ing|ation)\b|\bmulti[ -]?lingual\b|\blocales?\b/g,
    "translate language",
  ],
  [/\bcontent[ -]security[ -]policy\b|\bcsp\b/g, "csp"],
  [/\bk8s\b/g, "kubernetes"],
  [/\b(?:un)?zip(?:ped)? responses?\b|\bgzip(?:ped)?\b|\bbrotli\b/g, "compress"],
  [/\bmiddlewares?\b|\binterceptors?\b/g, "middleware"],
  [/\bdependency[ -]injection\b|\bdi\b|\bioc\b/g, "dependency inject"],
  [/\bbase[ -]?path\b|\bsub[ -]?(?:path|folder|directory)\b|\bpath prefix\b|\broot[ -]path\b/g, "path prefix"],
  [/\bone[ -]time message\b|\btoasts?\b/g, "flash"],
  [/\bmulti[ -]?part(?:\/form-data)?\b|\bmulter\b/g, "multipart upload"],
  [/\bunit[ -]?tests?\b|\bintegration[ -]?tests?\b|\bsupertest\b/g, "test"],
  [/\bback[ -]?ground\b/g, "background"],
  [/\buser[ -]?names?\b/g, "user name"],
  [/\bfile[ -]?names?\b/g, "file name"],
  [/\btime[ -]?outs?\b|\btimed out\b/g, "timeout"],
  [/\bback[ -]?planes?\b/g, "backplane"],
  [/\blanguage models?\b|\bllms?\b|\bchat ?gpt\b|\bopen ?ai\b/g, "model"],
  [/\bmodel context protocol\b|\bmcp\b/g, "mcp"],
];

/** Words of questions, and related words that pages may use instead. */
const related: readonly string[] = [
  "mock stub fake spy replace",
  "schedule nightly night daily hourly every periodic interval",
  "queue job worker background retry",
  "guard protect require only restrict",
  "authenticate login password account",
  "authorize role permission allow access forbid",
  "deploy host production server",
  "docker container image kubernetes",
  "validate schema check zod",
  "crash exception error throw fail",
  "cookie session",
  "proxy nginx caddy traefik balancer haproxy",
  "address ip",
  "https tls ssl certificate",
  "core cpu thread cluster worker",
  "template view layout render partial ejs",
  "websocket live realtime chat",
  "broadcast room publish",
  "postgres mysql sqlite database db sql",
  "global share singleton state",
  "folder structure organize split file",
  "document docs describe",
  "download attachment disposition",
  "upload file multipart",
  "stream chunk",
  "log logger print",
  "empty undefined missing null",
  "refuse econnrefused connect",
  "port listen eaddrinuse",
  "stale old cache",
  "slow performance speed fast benchmark",
  "client sdk rpc type",
  "inject dependency service provider",
  "debug inspect explain",
  "big large huge size maximum",
  "limit maximum restrict",
  "picture image photo",
  "remove delete clear",
  "hash bcrypt argon password",
  "watch restart reload change",
  "static asset public css",
  "frontend react vue browser",
  "migrate come",
  "endpoint route",
  "protect login",
  "shutdown sigterm graceful stop close exit",
  "header helmet security csp",
  "monitor metrics prometheus health",
  "trace telemetry opentelemetry span",
  "id uuid correlation",
  "redirect forward",
  "param parameter query",
  "s3 bucket minio",
  "google github provider openid",
  "version v1 v2",
  "agent ai mcp tool",
  "binary executable compile",
  "context asynclocalstorage",
  "auth authenticate authorize login guard",
  "route router",
  "bot spam captcha",
  "url path",
  "orm database drizzle prisma",
  "duration time",
  "prevent protect stop",
  "expire lifetime timeout",
];

/** Words that look like other forms of a word, but are not. */
const whole = new Set("cors express nested expression serverless".split(" "));

const relatedWords = new Map<string, Set<string>>();
for (const row of related) {
  const stems = row.split(" ").map(stem);
  for (const each of stems) relatedWords.set(each, new Set([...relatedWords.get(each) ?? [], ...stems]));
}

/** Words that say nothing about a page. */
const fillers = new Set(
  ("a about after again all also am an and any are as at be because been but by can cannot could did do does doesn don " +
    "each either even except for from get gets getting give go got had has have help here how i if in into is isn it its just " +
    "know let like make makes making me my need needs no of on one or other our out own please possible properly really " +
    "right same should so some something still such than that the their them then there these they thing this those to " +
    "too try trying up use used uses using want wants was way we were what when where whether which while who why will " +
    "with without won work working works would you your set best correct custom fw framework app application").split(
      " ",
    ),
);

/** Words that many questions contain, although they are about something else, such as the names of other software. */
export const weakWords: ReadonlySet<string> = new Set(
  "deno node nodejs typescript javascript express nest nestjs hono oak koa fastify fastapi django flask rail laravel spring go iri endpoint"
    .split(" "),
);

/** Removes the ending of a lower-case word: `validation`, `validated`, `validator` and `validates` become `valid`. */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word) || whole.has(word)) return word;
  let short = word.replace(/(?:ies|ied)$/, "y").replace(/(ss|sh|ch|x)es$/, "$1").replace(/([^su])s$/, "$1");
  const cut = short.replace(/(?:ing|ed)$/, "");
  if (cut !== short && cut.length > 2 && /[aeiouy]/.test(cut)) short = cut.replace(/([bdgkmnprt])\1$/, "$1");
  if (short.length > 6) short = short.replace(/(?<=[ts])ion$/, "");
  if (short.length > 3) short = short.replace(/e$/, "");
  const agents = /(?<=^(?:handl|limit|listen|pars|render|schedul|serializ|upload))er$/;
  return short.replace(/(?<=\w{4})at(?:or)?$/, "").replace(/(?<=\w{3})ment$/, "").replace(agents, "");
}

/** Returns the words of a string without fillers. Names such as `MaxSize` and `max_size` also match by their parts. */
export function wordsOf(text: string): string[] {
  let plain = text.replace(/([a-z\d])(?=[A-Z])|([A-Z]+)(?=[A-Z][a-z])/g, "$&\u00ad").toLowerCase()
    .replace(/(?<=[a-z\d])_(?=[a-z\d])|(?<=[a-z])\.(?=[a-z]{2})/g, "\u00ad");
  if (plain.includes("\u00ad")) {
    plain = plain.replace(
      /[\w\u00ad]*\u00ad[\w\u00ad]*/g,
      (name) => `${name.replaceAll("\u00ad", "")} ${name.replaceAll("\u00ad", " ")}`,
    );
  }
  for (const [pattern, name] of names) plain = plain.replace(pattern, ` ${name} `);
  return (plain.match(/[\p{L}\d]+/gu) ?? []).filter((word) =>
    !fillers.has(word) && (word.length > 1 || /\d/.test(word))
  )
    .map(stem);
}

/** Returns the words that are related to a stem. */
export function relatedTo(word: string): ReadonlySet<string> {
  return relatedWords.get(word) ?? new Set();
}
