/**
 * Tokenizes JavaScript source text to the extent that parameter lists require.
 *
 * @module
 */

/** The kind of a token. A whole template literal, including nested ones, is a single token. */
export type TokenKind = "name" | "number" | "bigint" | "string" | "template" | "regexp" | "punctuation" | "end";

/** A token and its position. */
export interface SourceToken {
  readonly kind: TokenKind;
  /** The text of the token. Empty at the end of the source text. */
  readonly text: string;
  /** The index of its first character. */
  readonly start: number;
  /** The index after its last character. */
  readonly end: number;
}

/** The patterns of tokens. */
type Patterns = Readonly<Record<"blank" | "name" | "number" | "string" | "regexp" | "punctuation", RegExp>>;

let patterns: Patterns | undefined = undefined;

/**
 * Creates the patterns. Called with the first tokenizer, because V8 takes half a millisecond to compile Unicode
 * classes, and most programs do not need them.
 */
function newPatterns(): Patterns {
  return {
    blank: /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)+/y,
    name:
      /#?(?:[\p{ID_Start}$_]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})*/uy,
    number:
      /(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?[\d_]+)?|\.\d[\d_]*(?:[eE][+-]?[\d_]+)?)n?/y,
    string: /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y,
    regexp: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[\p{ID_Continue}$]*/uy,
    punctuation: /=>|\.\.\.|\+\+|--|\?\.(?!\d)|[^]/uy,
  };
}

/**
 * The words that are followed by an operand. After them, a slash begins a regular expression, and a brace begins an
 * object.
 */
const operandWords: ReadonlySet<string> = new Set(
  "return typeof instanceof in of new delete void throw do else case yield await extends".split(" "),
);
/** The keywords that can start a statement header. After its closing bracket, a slash begins a regular expression. */
const headWords: ReadonlySet<string> = new Set(["if", "while", "for", "with"]);

/** The tokens after which a brace opens a block, although a value would also be possible. */
const blockOpeners: ReadonlySet<string | undefined> = new Set(["=>", ";", "{", "}", "else", "do"]);

/** Reads the tokens of a source text, one after another. */
export class Tokenizer {
  readonly #patterns: Patterns = patterns ??= newPatterns();
  readonly #text: string;
  #at: number;
  #last: SourceToken | undefined = undefined;
  /** Whether the last token must be followed by a value. */
  #wantsOperand = true;
  /** For every open bracket, whether a value must follow after it is closed. */
  readonly #open: boolean[] = [];

  /**
   * Creates a tokenizer.
   *
   * @param text The source text.
   * @param at The index to start at.
   */
  constructor(text: string, at = 0) {
    this.#text = text;
    this.#at = at;
  }

  /**
   * Reads the next token. Comments and whitespace are skipped.
   *
   * @returns The token. At the end of the source text, its kind is `end`.
   */
  next(): SourceToken {
    this.#match(this.#patterns.blank);
    const start = this.#at;
    if (start >= this.#text.length) return { kind: "end", text: "", start, end: start };
    const kind = this.#read(this.#text.charCodeAt(start));
    const token: SourceToken = { kind, text: this.#text.slice(start, this.#at), start, end: this.#at };
    this.#wantsOperand = this.#wantsOperandAfter(token);
    this.#last = token;
    return token;
  }

  #read(code: number): TokenKind {
    if (code === 0x60 /* ` */) return this.#template();
    if (code === 0x2f /* / */ && this.#wantsOperand && this.#match(this.#patterns.regexp)) return "regexp";
    if (this.#match(this.#patterns.string)) return "string";
    if (this.#match(this.#patterns.number)) return this.#text[this.#at - 1] === "n" ? "bigint" : "number";
    if (this.#match(this.#patterns.name)) return "name";
    this.#match(this.#patterns.punctuation);
    return "punctuation";
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #template(): TokenKind {
    const text = this.#text;
    for (this.#at++; this.#at < text.length; this.#at++) {
      const letter = text[this.#at];
      if (letter === "`") {
        this.#at++;
        return "template";
      }
      if (letter === "\\") this.#at++;
      else if (letter === "$" && text[this.#at + 1] === "{") this.#at = endOfHole(text, this.#at + 2);
    }
    return "template";
  }

  #wantsOperandAfter(token: SourceToken): boolean {
    if (token.kind === "name") return !isMember(this.#last) && operandWords.has(token.text);
    if (token.kind !== "punctuation") return false;
    switch (token.text) {
      case "(":
        this.#open.push(this.#last?.kind === "name" && headWords.has(this.#last.text));
        return true;
      case "[":
        this.#open.push(false);
        return true;
      case "{":
        // A block is followed by a statement, and an object by an operator.
        this.#open.push(!this.#wantsOperand || blockOpeners.has(this.#last?.text));
        return true;
      case ")":
      case "]":
      case "}":
        return this.#open.pop() ?? false;
      case "++":
      case "--":
        return this.#wantsOperand;
      default:
        return true;
    }
  }
}

function isMember(before: SourceToken | undefined): boolean {
  return before?.text === "." || before?.text === "?.";
}

/** Finds the brace that closes a template's `${`, including nested ones, starting after the opening brace. */
function endOfHole(text: string, at: number): number {
  const tokens = new Tokenizer(text, at);
  let depth = 0;
  for (let token = tokens.next(); token.kind !== "end"; token = tokens.next()) {
    if (token.text === "{") depth++;
    else if (token.text === "}" && depth-- === 0) return token.start;
  }
  return text.length;
}
