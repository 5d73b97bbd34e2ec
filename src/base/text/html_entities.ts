/**
 * Character references in HTML, such as `&eacute;` and `&#233;`.
 *
 * @module
 */

/**
 * The names of consecutive characters, by the code of the first one. A hyphen marks a character without a name. These
 * are the names of HTML 4, Latin Extended-A and ASCII punctuation. HTML has 2,000 more, for mathematics and other
 * scripts.
 */
const blocks: readonly (readonly [first: number, names: string])[] = [
  [
    0xa0,
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute " +
    "micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig " +
    "Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times " +
    "Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave " +
    "eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave " +
    "uacute ucirc uuml yacute thorn yuml Amacr amacr Abreve abreve Aogon aogon Cacute cacute Ccirc ccirc Cdot cdot " +
    "Ccaron ccaron Dcaron dcaron Dstrok dstrok Emacr emacr - - Edot edot Eogon eogon Ecaron ecaron Gcirc gcirc " +
    "Gbreve gbreve Gdot gdot Gcedil - Hcirc hcirc Hstrok hstrok Itilde itilde Imacr imacr - - Iogon iogon Idot imath " +
    "IJlig ijlig Jcirc jcirc Kcedil kcedil kgreen Lacute lacute Lcedil lcedil Lcaron lcaron Lmidot lmidot Lstrok " +
    "lstrok Nacute nacute Ncedil ncedil Ncaron ncaron napos ENG eng Omacr omacr - - Odblac odblac OElig oelig Racute " +
    "racute Rcedil rcedil Rcaron rcaron Sacute sacute Scirc scirc Scedil scedil Scaron scaron Tcedil tcedil Tcaron " +
    "tcaron Tstrok tstrok Utilde utilde Umacr umacr Ubreve ubreve Uring uring Udblac udblac Uogon uogon Wcirc wcirc " +
    "Ycirc ycirc Yuml Zacute zacute Zdot zdot Zcaron zcaron",
  ],
  [
    0x391,
    "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi " +
    "Chi Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi " +
    "rho sigmaf sigma tau upsilon phi chi psi omega - - - - - - - thetasym upsih - - - piv",
  ],
  [0x2002, "ensp emsp - - - - - thinsp - - zwnj zwj lrm rlm hyphen - - ndash mdash horbar - - lsquo rsquo sbquo"],
  [0x201c, "ldquo rdquo bdquo - dagger Dagger bull - - - hellip"],
  [0x2030, "permil - prime Prime - - - - - lsaquo rsaquo - - - oline - - - - - frasl"],
  [0x2190, "larr uarr rarr darr harr"],
  [0x21d0, "lArr uArr rArr dArr hArr"],
  [0x2200, "forall - part exist - empty - nabla isin notin - ni - - - prod - sum minus - - - - lowast - - radic"],
  [0x221d, "prop infin - ang - - - - - - and or cap cup int - - - - - - - - there4 - - - - - - - sim"],
  [0x2260, "ne equiv - - le ge"],
  [0x2282, "sub sup nsub - sube supe"],
  [0x2308, "lceil rceil lfloor rfloor"],
  [0x27e8, "lang rang"],
];

/** The names of all other characters. */
const others: Readonly<Record<string, string>> = {
  ...{ amp: "&", AMP: "&", lt: "<", LT: "<", gt: ">", GT: ">", quot: '"', QUOT: '"', apos: "'", Tab: "\t" },
  ...{ NewLine: "\n", excl: "!", num: "#", dollar: "$", percnt: "%", lpar: "(", rpar: ")", ast: "*", plus: "+" },
  ...{ comma: ",", period: ".", sol: "/", colon: ":", semi: ";", equals: "=", quest: "?", commat: "@", lsqb: "[" },
  ...{ bsol: "\\", rsqb: "]", Hat: "^", lowbar: "_", grave: "`", lcub: "{", verbar: "|", vert: "|", rcub: "}" },
  ...{ COPY: "©", REG: "®", fnof: "ƒ", circ: "ˆ", tilde: "˜", euro: "€", image: "ℑ", weierp: "℘", real: "ℜ" },
  ...{ trade: "™", TRADE: "™", alefsym: "ℵ", crarr: "↵", cong: "≅", asymp: "≈", oplus: "⊕", otimes: "⊗", perp: "⊥" },
  ...{ sdot: "⋅", loz: "◊", spades: "♠", clubs: "♣", hearts: "♥", diams: "♦", starf: "★", star: "☆", phone: "☎" },
  ...{ check: "✓", checkmark: "✓", cross: "✗", numero: "№", female: "♀", male: "♂" },
};

let table: ReadonlyMap<string, string> | undefined = undefined;

/**
 * Decodes the character references in HTML.
 *
 * @param html The HTML.
 * @returns The text. References with other names stay as they are.
 */
export function decodeEntities(html: string): string {
  if (!html.includes("&")) return html;
  return html.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,9}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return (table ??= newTable()).get(name) ?? whole;
    return characterOf(decimal === undefined ? parseInt(hex, 16) : Number(decimal));
  });
}

function newTable(): ReadonlyMap<string, string> {
  const named = blocks.flatMap(([first, names]) =>
    names.split(" ").map((name, at) => [name, String.fromCharCode(first + at)] as const)
  );
  return new Map([...named, ...Object.entries(others)]);
}

/** Returns a character as browsers read its code. The codes of C1 controls are those of Windows-1252. */
function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return new TextDecoder("windows-1252").decode(Uint8Array.of(code));
  return code === 0 || code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code).toWellFormed();
}
