/**
 * The regular expressions that need more time than their input is long, and those that are built at run time.
 *
 * @module
 */

/** The slow patterns, and the text that they are applied to. None of it comes from a request, or it is short. */
export const beyondRequests: Readonly<Record<string, string>> = {
  "/^[a-z][\\w+.-]*:\\/\\/[^/?#]*:(.+)@/is": "The value of an environment variable, for its masked form.",
  "/\\{[^}]*\\}/g": "A path template, at registration.",
  "/\\s+(?![^{]*\\})/": "A path template, at registration.",
  "/^(#{1,6})\\s+(.*?)\\s*#*$/": "The application's own descriptions, in the browser.",
  "/^[\\s|:-]*-[\\s|:-]*$/": "The application's own descriptions, in the browser.",
  "/(?: {2,}|\\\\)\\n/": "The application's own descriptions, in the browser.",
  "/\\/+$/": "An option.",
  "/\\/?\\{([^:}\\s]+)(?:\\s*:\\s*(\\w+)(?:[^{}]|\\{[^}]*\\})*)?\\}/g": "The path template of a client.",
  "/<([a-z][^\\s/>]*)((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>/iy": "A page of the tested application.",
  "/\\{\\{([\\s\\S]*?)\\}\\}|\\$\\{(\\w+)\\}|%%|%([-+# 0]*(?:[1-9]\\d*)?(?:\\.\\d+)?)(?:\\[(\\d+)\\])?([a-zA-Z])/g":
    "A message of a catalog, when it is loaded.",
  "/\\{\\{[\\s\\S]*?\\}\\}/": "A message of a catalog, when it is loaded.",
  "/\\{([^}]*)\\}/g": "The rules of the middleware.",
  '/("(?:\\\\.|[^"\\\\])*")|\\/\\/[^\\r\\n]*|\\/\\*[^]*?\\*\\//g': "The configuration file of a project.",
  '/("(?:\\\\.|[^"\\\\])*")|,(?=\\s*[}\\]])/g': "The configuration file of a project.",
  '/"(?:\\\\.|[^"\\\\])*"|[{}[\\],:]|[^\\s{}[\\],:"]+/g': "The configuration file of a project.",
  "/%.+$/": "The address to listen on.",
  "/\\d+(?=[A-Za-z])/g": "A part of a file name with eight characters.",
  "/\\s*,?\\s*(<=|>=|!=|==|<|>|=|!)?\\s*([^\\s,<>=!|]+)/gy": "A version range of at most 256 characters.",
  "/'(?:\\\\.|[^'\\\\])*'|\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`|\\/\\/.*$/g": "The source of a template.",
  "/(?<=.)[/\\\\]+$/": "The folder of the templates.",
  "/^([-+# 0]*)(\\d*)(?:\\.(\\d*))?$/": "A verb in a format of the application.",
  "/\\.(\\d*?)0*(e.*)?$/i": "A formatted number, which has at most a few hundred digits.",
};

/** The patterns that are built at run time, and what they are built from or applied to. */
export const builtPatterns: Readonly<Record<string, string>> = {
  'new RegExp(`^${segments.join("/")}(?:/|$)`)': "A path template: anchored, with one class per segment.",
  'new RegExp(source, `${flags.replace(/[giy]/g, "")}i`)': "The application's own patterns for hosts.",
  "new RegExp(`^(?:/+[^/]+){${depth}}`)": "The number of segments of a mount: anchored, with one class per segment.",
  "new RegExp(`^(?:/+[^/?]+){${count}}`)": "A path that a developer asks about, with one class per segment.",
  "new RegExp(pattern)": "The application's own document, in the browser.",
  'new RegExp( [ "(`+)(.+?)\\\\1", "\\\\*\\\\*(.+?)\\\\*\\\\*", "__(.+?)__", "~~(.+?)~~", "\\\\*([^\\\\s*][^*]*)\\\\*", "\\\\b_([^_]+)_\\\\b", "!?\\\\[([^\\\\]]*)\\\\]\\\\(\\\\s*<?((?:[^()\\\\s<>]|\\\\([^()]*\\\\))*)>?[^)]*\\\\)", "<(https?:[^>\\\\s]+)>", "(\\\\bhttps?://[^\\\\s<>\\"\')]+[^\\\\s<>\\"\').,;:!?])", ].join("|"), "s", )':
    "The application's own document, in the browser.",
  "new RegExp(source.slice(start, ++at))": "The application's own document, in the browser.",
  "new RegExp(source)": "The pattern of a schema, for the examples of the application.",
  'RegExp(`"${mark}(-?\\\\d+)"`, "g")': "The client's own output, in which a random mark is found.",
  "new RegExp(`\\\\b${name}\\\\.[A-Z]`)": "The name of a symbol in the documentation.",
  'new RegExp(`</${tag}[\\\\s/>]`, "i")': "The name of an element in a page of the tested application.",
  'new RegExp(UNSAFE, "g")': "A set of characters.",
  "new RegExp(`^${pattern}$`)": "The URI template of a resource: anchored, with one class per variable.",
  'new RegExp(`[\\\\s"\'\\\\\\\\${separators.map((letter) => `\\\\${letter}`).join("")}]`, "g")':
    "A set of characters.",
  'new RegExp(source, "u")': "The application's own patterns for parameters.",
  'new RegExp(`^(?:${alone.source})$`, "u")': "The application's own patterns for parameters.",
  'new RegExp(`^(?:\\\\(\\\\s*0\\\\s*,\\\\s*(?<wrapped>${path})\\\\s*\\\\)|(?<plain>${path}))\\\\s*\\\\(`, "u")':
    "The source of a function, at registration.",
  'new RegExp(`^\\\\s*${path}\\\\s*,?\\\\s*$`, "u")': "The source of a function, at registration.",
  'new RegExp(`(?<callee>${path})\\\\s*\\\\)?\\\\s*\\\\(\\\\s*(?!\\\\d)${path}\\\\s*,?\\\\s*\\\\)`, "gu")':
    "The source of a function, at registration.",
  'new RegExp( "([A-Za-z_$][\\\\w$]*)(?:\\\\s*=\\\\s*(-?\\\\d[\\\\d_]*(n?)|(true|false|![01])(?![\\\\w$.(])|" + `"[^"\\\\\\\\]*"|\'[^\'\\\\\\\\]*\'|(${simplePath})\\\\((?:${simplePath})?\\\\)))?\\\\s*(?:,\\\\s*|(\\\\)))`, "y", )':
    "The source of a function, at registration.",
  'new RegExp(`"${mark.replaceAll(".", "\\\\.")}(-?\\\\d+)"`, "g")':
    "fw's own output, in which a random mark is found.",
  "new RegExp(`\\\\b${name}\\\\b`)": "The source of a template.",
  'new RegExp( `^([ \\\\t]*)(${escaped(left)}[^]*?${escaped(right)})([ \\\\t]*)$|${escaped(left)}[^]*?${escaped(right)}`, "gm", )':
    "The source of a template.",
  'new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""))': "The application's own pattern for room names.",
  'new RegExp( " (?:pin|[ht]?otp|cvc2?|cvv2?|csc|secret|(?:api|secret|private) ?key|" + "(?:csrf|xsrf|authenticity|api|access|refresh|auth|bearer) ?token)(?: (?:code|number|confirm(?:ation)?|repeat|again))? $", )':
    "The name of a form field. Each part is tried once per word.",
  'RegExp(innerSlash, "gu")': "A set of characters.",
  "new RegExp(source, flags)": "A pattern that the application has encoded.",
  'new RegExp(`;\\\\s*${name}=\\\\s*([^;]*)`, "i")': "A cookie of the response.",
};
